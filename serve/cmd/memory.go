package cmd

import (
	"fmt"

	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/system"
)

// freeMemory returns how many bytes of memory a program can have, or 0 if that is not known. Tests replace it.
var freeMemory = systemMemory

// enoughRoom returns an error if a training with all its data needs more memory than there is. Otherwise the
// system would end the program, which can be hours later, when stage II begins.
func enoughRoom(c *method.Config, sys *system.System, src system.Source, workers int) error {
	if err := c.Validate(); err != nil {
		return err
	}
	need, setting := fit.Room(c, sys, src, workers)
	need += need / 4 // for the garbage collector
	free := freeMemory()
	if free == 0 || need <= free {
		return nil
	}
	return fmt.Errorf("the training takes about %s of memory, and there are %s; set %s lower, with -set", gigabytes(need), gigabytes(free), setting)
}

func gigabytes(bytes int) string { return fmt.Sprintf("%.3g GB", float64(bytes)/1e9) }
