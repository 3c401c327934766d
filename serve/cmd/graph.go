package cmd

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"macroscope/serve/reproduce"
)

// graphOptions are the flags of subcommands that run a graph of tasks.
type graphOptions struct {
	subcommand
	dir         string
	seeds, jobs int
	list        bool
}

// flags returns the flag set of a subcommand with this name, without -dir and -seeds.
func (o *graphOptions) flags(name string, stderr io.Writer) *flag.FlagSet {
	fs := o.subcommand.flags(name, stderr, 1)
	o.count(fs, &o.jobs, "jobs", runtime.GOMAXPROCS(0), 1, 1024, "tasks at a time on this machine, each of so many workers")
	fs.BoolVar(&o.list, "list", false, "list the tasks, what is done and how long the rest will take, and do nothing")
	return fs
}

// adopt copies results into o.dir from the published records in another folder. If that folder
// is "", it does nothing.
func (o *graphOptions) adopt(g *reproduce.Graph, from string) error {
	taken, err := g.Adopt(o.dir, from)
	if taken > 0 {
		fmt.Fprintf(o.stderr, "%d results are taken from %s\n", taken, from)
	}
	return err
}

// here returns the options for tasks on this machine. The path of the folder becomes absolute.
func (o *graphOptions) here() (reproduce.Options, error) {
	program, err := os.Executable()
	if err != nil {
		return reproduce.Options{}, err
	}
	o.dir, err = filepath.Abs(o.dir)
	return reproduce.Options{Dir: o.dir, Program: program, Jobs: o.jobs, Stderr: o.stderr}, err
}
