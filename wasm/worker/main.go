//go:build js && wasm

// Command worker is the session of the lab for a Web Worker: it simulates,
// trains and computes pictures, and draws nothing.
package main

import (
	"macroscope/model/lab"
	"macroscope/wasm/bridge"
)

func main() {
	bridge.RunWorker(lab.NewDemo())
}
