//go:build js && wasm

// Command worker is the session of a lab for a Web Worker: it simulates, trains
// and computes pictures, and draws nothing.
package main

import (
	"macroscope/model/lab"
	"macroscope/model/wire"
	"macroscope/wasm/bridge"
)

func main() { bridge.RunWorker(labs{}) }

// labs implements bridge.Labs with those that are registered.
type labs struct{}

func (labs) Open(name string) wire.Session {
	if l, ok := lab.Find(name); ok {
		return l.New()
	}
	return nil
}

func (labs) Linked(fragment string) string { return lab.LinkedLab(fragment) }

func (labs) Helper(name string) wire.Helper {
	if l, ok := lab.Find(name); ok && l.Helper != nil {
		return l.Helper()
	}
	return nil
}
