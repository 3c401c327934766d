//go:build !js

package cmd

import (
	"os"
	"os/signal"
	"syscall"
)

// ending returns the signals that end a command in an orderly way. If hang-ups are ignored, as
// under nohup, they remain ignored.
func ending() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
