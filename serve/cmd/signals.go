//go:build !js

package cmd

import (
	"os"
	"os/signal"
	"syscall"
)

// ending returns the signals that end a command in an orderly way. If hang-ups are ignored, as
// under nohup, they remain ignored. ending also makes a write to a closed pipe fail instead of ending the
// program, so a training saves its checkpoint before it ends.
func ending() []os.Signal {
	signal.Ignore(syscall.SIGPIPE)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
