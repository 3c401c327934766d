//go:build !js

package cmd

import (
	"os"
	"os/signal"
	"syscall"
)

// ending are the signals that end a command in good order. A program that ignores
// hang-ups, as under nohup, continues after one.
func ending() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
