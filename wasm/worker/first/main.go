//go:build js && wasm

// Command first is the worker for the first view: it runs the demo alone, and is half as
// large as the worker of all labs. The page starts that one when a user opens another lab.
package main

import (
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
	"macroscope/wasm/bridge"
)

func main() { bridge.RunWorker(session.List{catalogue.Line()}, catalogue.PlainLine) }
