//go:build !js

package cmd

import (
	"os"
	"os/signal"
	"syscall"
)

// ending is the signals that end a command in good order. A program that was told
// to ignore a hang-up, as nohup does, goes on after one.
func ending() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
