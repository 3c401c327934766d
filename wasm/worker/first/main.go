//go:build js && wasm

// Command first is the first worker that the page starts. It contains only the demo, and is half as
// large as the worker of all labs. It writes no panel, because the page contains that of the demo. The
// page starts the worker of all labs when a user opens another
// lab.
package main

import (
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
	"macroscope/wasm/bridge"
)

func main() { bridge.RunWorker(session.List{catalogue.Line()}, catalogue.PlainLine, nil) }
