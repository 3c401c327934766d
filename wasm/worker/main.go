//go:build js && wasm

// Command worker is the session of a lab in a Web Worker: it simulates, trains and computes
// pictures, but draws nothing. It contains all labs.
package main

import (
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/view/portrait/linalg"
	"macroscope/model/wire/markup"
	"macroscope/wasm/bridge"
)

func main() {
	list := catalogue.All()
	for i := range list {
		list[i].Algebra = linalg.Gonum{}
	}
	bridge.RunWorker(list, catalogue.Plain, markup.Panel)
}
