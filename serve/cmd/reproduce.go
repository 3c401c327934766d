package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/serve/output"
	"macroscope/serve/reproduce"
)

// reproduceOptions are the flags of a reproduction.
type reproduceOptions struct {
	graphOptions
	preset, only            string
	status, slurm           bool
	cluster                 reproduce.Cluster
	render, taskOf, compare string
	publish                 string
}

func reproduceCommand(stdout, stderr io.Writer) *ffcli.Command {
	var o reproduceOptions
	fs := o.flags("reproduce", stderr)
	fs.StringVar(&o.dir, "dir", "reproduction", "`folder` of data, models and results; the tables are in its folder paper")
	fs.StringVar(&o.preset, "preset", "laptop", "size of everything: quick (minutes), laptop (a night) or paper")
	fs.StringVar(&o.only, "only", "", "`names` of the tables to make, with commas between them (default: all): line, table 1, table 2, sensitivity zdim, sensitivity eps, polymer or, but of quick, polymer 300")
	fs.IntVar(&o.seeds, "seeds", 0, "trainings of each row (default: 3, quick 1)")
	fs.BoolVar(&o.slurm, "slurm", false, "submit the tasks to Slurm; the folder must be one that all nodes see")
	fs.BoolVar(&o.status, "status", false, "list the tasks, and the jobs that Slurm has of them")
	fs.StringVar(&o.cluster.Partition, "partition", "", "with -slurm: `partition` (default: the cluster's)")
	fs.StringVar(&o.cluster.Time, "time", "", "with -slurm: `limit` of a task's time, as 12:00:00 (default: the partition's)")
	fs.StringVar(&o.cluster.Memory, "mem", "", "with -slurm: memory of a task, as 8G (default: the partition's)")
	fs.StringVar(&o.compare, "compare", "", "another `folder` of the same tasks: name the results that differ in any bit")
	fs.StringVar(&o.publish, "publish", "", "another `folder` for tables, figures and records of all finished results; results with a record there are not computed again")
	fs.StringVar(&o.render, "render", "", "write the table of this `name` from the existing results")
	fs.StringVar(&o.taskOf, "task-of", "", "for jobs that -slurm submits: do the task of this `list` that SLURM_ARRAY_TASK_ID says")
	return o.command(fs, func(ctx context.Context) error { return o.run(ctx, stdout) })
}

func (o *reproduceOptions) run(ctx context.Context, stdout io.Writer) error {
	size, err := o.size()
	if err != nil {
		return err
	}
	tables, err := reproduce.Tables(systems, size, o.workers)
	if err != nil {
		return err
	}
	all := tables
	if tables, err = o.choose(tables); err != nil {
		return err
	}
	command := fmt.Sprintf("macroscope reproduce -preset %s -seeds %d", size.Preset, size.Seeds)
	common := []string{"-preset", size.Preset, "-seeds", fmt.Sprint(size.Seeds), "-workers", fmt.Sprint(o.workers)}
	if o.render != "" {
		for _, t := range tables {
			if t.Name == o.render {
				return t.Render(o.dir, fmt.Sprintf("%s -only %q", command, t.Name))
			}
		}
		return fmt.Errorf("there is no table %q", o.render)
	}
	g, err := reproduce.NewGraph(reproduce.Tasks(tables, common))
	if err != nil {
		return err
	}
	whole, err := reproduce.NewGraph(reproduce.Tasks(all, common))
	if err != nil {
		return err
	}
	do, err := o.here()
	if err != nil {
		return err
	}
	do.Common = common
	if o.only != "" {
		do.Common = append(do.Common, "-only", o.only)
	}
	if o.publish != "" && o.taskOf == "" {
		if err := o.adopt(whole, o.publish); err != nil {
			return err
		}
	}
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
		t, err := g.TaskOf(o.taskOf, os.Getenv("SLURM_ARRAY_TASK_ID"))
		if err != nil {
			return err
		}
		return g.Do(ctx, do, t, func(line string) { fmt.Fprintln(o.stderr, line) })
	}
	if o.publish != "" { // an error about the folder must come before the work, not after it
		if err := os.MkdirAll(o.publish, 0o755); err != nil {
			return fmt.Errorf("-publish %s cannot be made: %w", o.publish, err)
		}
		if _, err := output.New("-publish", filepath.Join(o.publish, "README.md")); err != nil {
			return err
		}
	}
	err = g.Run(ctx, do)
	if o.publish != "" { // publish after a stopped run too
		err = errors.Join(err, whole.Publish(all, o.dir, o.publish, "The paper’s tables and figures, preset "+size.Preset, command))
	}
	return err
}

// size returns the sizes selected by -preset and -seeds.
func (o *reproduceOptions) size() (reproduce.Size, error) {
	var names []string
	for _, s := range reproduce.Sizes() {
		names = append(names, s.Preset)
		if s.Preset != o.preset {
			continue
		}
		if o.given["seeds"] {
			s.Seeds = o.seeds
			return s, within("seeds", o.seeds, 1, 100)
		}
		return s, nil
	}
	return reproduce.Size{}, fmt.Errorf("there is no preset %q; use %s", o.preset, strings.Join(names, ", "))
}

// choose returns the tables selected by -only.
func (o *reproduceOptions) choose(all []*reproduce.Table) (chosen []*reproduce.Table, err error) {
	if o.only == "" {
		return all, nil
	}
	var names []string
	for _, t := range all {
		names = append(names, t.Name)
	}
	for name := range strings.SplitSeq(o.only, ",") {
		i := slices.Index(names, strings.TrimSpace(name))
		if i < 0 {
			return nil, fmt.Errorf("-only: there is no table %q; use %s", name, strings.Join(names, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
