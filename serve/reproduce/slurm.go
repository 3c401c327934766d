package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"macroscope/serve/input"
)

// Cluster holds the resources that each job requests from Slurm.
type Cluster struct {
	Partition string // "" means the cluster's default
	Time      string // limit in sbatch's format; "" means the partition's limit
	Cores     int
	Memory    string // in sbatch's format; "" means the partition's default
}

// arrays divides the remaining tasks into job arrays, one for each group. Each array comes after the
// arrays that it needs.
func (g *Graph) arrays(left map[*Task]bool) (arrays [][]*Task) {
	groups := make(map[string][]*Task)
	for _, t := range g.Tasks {
		if left[t] {
			groups[t.Group] = append(groups[t.Group], t)
		}
	}
	entered := make(map[string]bool)
	var enter func(group string)
	enter = func(group string) {
		if entered[group] {
			return
		}
		entered[group] = true
		for _, t := range groups[group] {
			for _, n := range g.Needs(t) {
				enter(n.Group)
			}
		}
		if tasks := groups[group]; len(tasks) > 0 {
			arrays = append(arrays, tasks)
		}
	}
	for _, t := range g.Tasks {
		enter(t.Group)
	}
	return arrays
}

// maxArray is the largest number of jobs in an array. With Slurm's usual settings, the limit is
// 1001. If a group has more tasks, a job does several of them, one after another.
const maxArray = 1000

// Submit submits the remaining tasks to Slurm, as an array of jobs for each group of tasks. An
// array waits for the arrays that it needs. The jobs share only the folder. Slurm requeues a
// job when its node fails. A further Submit submits the tasks that are still not done.
func (g *Graph) Submit(ctx context.Context, o Options, c Cluster) error {
	d := g.in(o.Dir)
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	if busy, err := queued(ctx, dir); err != nil {
		return err
	} else if len(busy) > 0 {
		return fmt.Errorf("jobs %s of this folder are still in Slurm's queue; wait for them, or end them with scancel", strings.Join(busy, ", "))
	}
	if err := d.prepare(); err != nil {
		return err
	}
	jobs := make(map[string]string) // job ids by group
	for k, tasks := range g.arrays(d.left()) {
		list := filepath.Join(dir, "slurm", fmt.Sprintf("%d-%d.tasks", time.Now().Unix(), k))
		var names, after []string
		for _, t := range tasks {
			names = append(names, t.Name)
			for _, n := range g.Needs(t) {
				if id := jobs[n.Group]; id != "" && n.Group != t.Group && !slices.Contains(after, id) {
					after = append(after, id)
				}
			}
		}
		if err := replace(list, []byte(strings.Join(names, "\n")+"\n")); err != nil {
			return err
		}
		args := []string{
			"--parsable", "--requeue", "--job-name", "macroscope " + tasks[0].Group, "--chdir", dir,
			"--array", fmt.Sprintf("0-%d", min(len(tasks), maxArray)-1), "--cpus-per-task", fmt.Sprint(max(1, c.Cores)),
			"--output", filepath.Join(dir, "log", "slurm-%A-%a.log"), "--open-mode", "append",
		}
		for _, a := range []struct{ flag, value string }{{"--partition", c.Partition}, {"--time", c.Time}, {"--mem", c.Memory}} {
			if a.value != "" {
				args = append(args, a.flag, a.value)
			}
		}
		if len(after) > 0 {
			args = append(args, "--dependency", "afterok:"+strings.Join(after, ":"), "--kill-on-invalid-dep", "yes")
		}
		var quoted []string
		for _, w := range slices.Concat([]string{o.Program}, o.Again, []string{"-dir", dir, "-task-of", list}) {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		out, err := run(ctx, "sbatch", append(args, "--wrap", "exec "+strings.Join(quoted, " "))...)
		if err != nil {
			return err
		}
		id, _, _ := strings.Cut(strings.TrimSpace(out), ";")
		jobs[tasks[0].Group] = id
		fmt.Fprintf(o.Stderr, "job %s: %s, %d tasks\n", id, tasks[0].Group, len(tasks))
	}
	if len(jobs) == 0 {
		fmt.Fprintln(o.Stderr, "all tasks are done")
	}
	return nil
}

// DoOf does the tasks of one job of a Slurm job array. After a failed task it goes on with the next
// one.
func (g *Graph) DoOf(ctx context.Context, o Options, list, index string) error {
	tasks, err := g.tasksOf(list, index)
	for _, t := range tasks {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		say := func(line string) { fmt.Fprintln(o.Stderr, line) }
		if failed := g.Do(ctx, o, t, say); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", t.Name, failed))
		}
	}
	return err
}

// tasksOf returns the tasks for one job of a Slurm job array. `list` is a file with the names of
// all tasks of the array, and `index` is the job's number. If there are more tasks than jobs, a job
// does several.
func (g *Graph) tasksOf(list, index string) (tasks []*Task, err error) {
	b, err := input.Read(list, maxResults)
	if err != nil {
		return nil, err
	}
	i, err := strconv.Atoi(index)
	if err != nil {
		return nil, fmt.Errorf("SLURM_ARRAY_TASK_ID is %q, which is no number; -task-of is for Slurm's jobs", index)
	}
	names := strings.Split(strings.TrimSpace(string(b)), "\n")
	if i < 0 || i >= min(len(names), maxArray) {
		return nil, fmt.Errorf("%s has %d tasks, and none for a job of number %d", list, len(names), i)
	}
	for ; i < len(names); i += maxArray {
		t := g.Find(names[i])
		if t == nil {
			return nil, fmt.Errorf("there is no task %q; submit again with this program", names[i])
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// queued returns the jobs that work in a folder and have not ended in Slurm.
func queued(ctx context.Context, dir string) (ids []string, err error) {
	out, err := run(ctx, "squeue", "--noheader", "--format", "%F %Z", "--me")
	if err != nil && !errors.Is(err, exec.ErrNotFound) { // without Slurm there are no jobs
		return nil, err
	}
	for line := range strings.Lines(out) {
		if id, in, _ := strings.Cut(strings.TrimSpace(line), " "); in == dir && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Status writes the graph like List, and the state of its jobs in Slurm.
func (g *Graph) Status(ctx context.Context, w io.Writer, dir string) error {
	if err := g.List(w, dir); err != nil {
		return err
	}
	ids, err := queued(ctx, dir)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		_, err := fmt.Fprintln(w, "no job is in Slurm's queue")
		return err
	}
	out, err := run(ctx, "squeue", "--array", "--noheader", "--format", "%F_%K %j: %T on %N %r", "--jobs", strings.Join(ids, ","))
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, out)
	return err
}

// run returns the output of one of Slurm's programs.
func run(ctx context.Context, name string, args ...string) (string, error) {
	var said strings.Builder
	c := exec.CommandContext(ctx, name, args...)
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}
