//go:build js && wasm

// Command first is the worker for the first view: it can run the demo alone, and
// is half as large as the worker that can run every lab. The page starts that one
// when a visitor opens another lab.
package main

import (
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
	"macroscope/wasm/bridge"
)

func main() { bridge.RunWorker(session.List{catalogue.Line()}, catalogue.PlainLine) }
