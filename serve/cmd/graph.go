package cmd

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"macroscope/serve/reproduce"
)

// graphOptions are the flags of subcommands that run a graph of tasks.
type graphOptions struct {
	subcommand
	dir, compare, taskOf string
	seeds, jobs          int
	list, status, slurm  bool
	cluster              reproduce.Cluster
}

// flags returns the flag set of a subcommand with this name, without -dir and -seeds.
func (o *graphOptions) flags(name string, stderr io.Writer) *flag.FlagSet {
	fs := o.subcommand.flags(name, stderr, 1)
	o.count(fs, &o.jobs, "jobs", runtime.GOMAXPROCS(0), 1, 1024, "tasks at a time on this machine, each of so many workers")
	fs.BoolVar(&o.list, "list", false, "list the tasks, what is done and how long the rest will take, and do nothing")
	fs.BoolVar(&o.slurm, "slurm", false, "submit the tasks to Slurm; the folder must be one that all nodes see")
	fs.BoolVar(&o.status, "status", false, "list the tasks, and the jobs that Slurm has of them")
	fs.StringVar(&o.cluster.Partition, "partition", "", "with -slurm: `partition` (default: the cluster's)")
	fs.StringVar(&o.cluster.Time, "time", "", "with -slurm: `limit` of a job's time, as 12:00:00 (default: the partition's)")
	fs.StringVar(&o.cluster.Memory, "mem", "", "with -slurm: memory of a job, as 8G (default: the partition's)")
	fs.StringVar(&o.compare, "compare", "", "another `folder` of the same tasks: name the results that differ in any bit")
	fs.StringVar(&o.taskOf, "task-of", "", "for jobs that -slurm submits: do the tasks of this `list` that SLURM_ARRAY_TASK_ID says")
	return fs
}

// common returns the flags that every task of the graph gets. With -plain, a task is another one
// than without it, because its results can have other bits.
func (o *graphOptions) common() []string {
	common := []string{"-workers", fmt.Sprint(o.workers)}
	if o.plain {
		common = append(common, "-plain")
	}
	return common
}

// here reports whether the flags ask for all tasks to be done on this machine.
func (o *graphOptions) here() bool {
	return !o.list && !o.status && !o.slurm && o.compare == "" && o.taskOf == ""
}

// The method `work` runs, submits, lists or compares a graph. The flags choose the action. With the
// arguments in `again`, this program builds the same graph.
func (o *graphOptions) work(ctx context.Context, stdout io.Writer, g *reproduce.Graph, again []string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	for _, flag := range []string{"partition", "time", "mem"} {
		if o.given[flag] && !o.slurm {
			return fmt.Errorf("-%s works only with -slurm; give both, or leave it out", flag)
		}
	}
	do := reproduce.Options{Dir: o.dir, Program: program, Again: again, Jobs: o.jobs, Stderr: o.stderr}
	switch {
	case o.compare != "":
		same, differ := g.Compare(o.dir, o.compare)
		fmt.Fprintf(stdout, "%d results are the same to the bit\n", same)
		if len(differ) > 0 {
			return fmt.Errorf("%d differ or are missing: %s", len(differ), strings.Join(differ, ", "))
		}
		return nil
	case o.list:
		return g.List(stdout, o.dir)
	case o.status:
		return g.Status(ctx, stdout, o.dir)
	case o.slurm:
		o.cluster.Cores = o.workers
		return g.Submit(ctx, do, o.cluster)
	case o.taskOf != "":
		return g.DoOf(ctx, do, o.taskOf, os.Getenv("SLURM_ARRAY_TASK_ID"))
	}
	return g.Run(ctx, do)
}

// adopt copies results into o.dir from the published records in another folder. If that folder is
// "", adopt does nothing. A job of Slurm also adopts nothing, because the command that submitted
// the job has adopted the results.
func (o *graphOptions) adopt(g *reproduce.Graph, from string) error {
	if from == "" || o.taskOf != "" {
		return nil
	}
	taken, err := g.Adopt(o.dir, from)
	if taken > 0 {
		fmt.Fprintf(o.stderr, "%d results are taken from %s\n", taken, from)
	}
	return err
}
