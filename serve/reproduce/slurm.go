package reproduce

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"macroscope/serve/input"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Cluster holds the resources that each job requests from Slurm.
type Cluster struct {
	Partition string // "" means the cluster's default
	Time      string // limit in sbatch's format; "" means the partition's limit
	Cores     int
	Memory    string // in sbatch's format; "" means the partition's default
}

// arrays divides the remaining tasks into job arrays. Each array comes after the arrays that it
// needs.
func (g *Graph) arrays(d folder) (arrays [][]*Task) {
	at, left := make(map[string]int), g.left(d)
	for _, t := range g.Tasks {
		if !left[t] {
			continue
		}
		i, ok := at[t.Group]
		if !ok {
			i = len(arrays)
			at[t.Group] = i
			arrays = append(arrays, nil)
		}
		arrays[i] = append(arrays[i], t)
	}
	return arrays
}

// Submit submits the remaining tasks to Slurm, as an array of jobs for each group of tasks. An
// array waits for the arrays that it needs. The jobs share only the folder. Slurm requeues a
// job when its node fails. A further Submit submits the tasks that are still not done.
func (g *Graph) Submit(ctx context.Context, o Options, c Cluster) error {
	d := folder(o.Dir)
	if err := d.prepare(); err != nil {
		return err
	}
	if busy, err := g.queued(ctx, d); err != nil {
		return err
	} else if len(busy) > 0 {
		return fmt.Errorf("jobs %s of this folder are still in Slurm's queue; wait for them, or end them with scancel", strings.Join(busy, ", "))
	}
	if err := g.clash(d, g.left(d)); err != nil {
		return err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	jobs := make(map[string]string) // job ids by group
	var ids []string
	for k, tasks := range g.arrays(d) {
		list := d.path("slurm", fmt.Sprintf("%d-%d.tasks", time.Now().Unix(), k))
		var names []string
		var after []string
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
		list, err := filepath.Abs(list)
		if err != nil {
			return err
		}
		args := []string{
			"--parsable", "--requeue", "--job-name", "macroscope " + tasks[0].Group, "--chdir", dir,
			"--array", fmt.Sprintf("0-%d", len(tasks)-1), "--cpus-per-task", fmt.Sprint(max(1, c.Cores)),
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
		command := []string{o.Program, "reproduce"}
		command = append(append(command, o.Common...), "-dir", dir, "-task-of", list)
		var quoted []string
		for _, w := range command {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		out, err := run(ctx, "sbatch", append(args, "--wrap", "exec "+strings.Join(quoted, " "))...)
		if err != nil {
			return err
		}
		id, _, _ := strings.Cut(strings.TrimSpace(out), ";")
		jobs[tasks[0].Group] = id
		ids = append(ids, id)
		fmt.Fprintf(o.Stderr, "job %s: %s, %d tasks\n", id, tasks[0].Group, len(tasks))
	}
	if len(ids) == 0 {
		fmt.Fprintln(o.Stderr, "all tasks are done")
	}
	b, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return replace(d.path("slurm", "jobs.json"), append(b, '\n'))
}

// TaskOf returns the task of one job in an array.
func (g *Graph) TaskOf(list, index string) (*Task, error) {
	b, err := input.Read(list, maxResults)
	if err != nil {
		return nil, err
	}
	var i int
	if _, err := fmt.Sscan(index, &i); err != nil {
		return nil, fmt.Errorf("SLURM_ARRAY_TASK_ID is %q, which is no number; -task-of is for Slurm's jobs", index)
	}
	names := strings.Split(strings.TrimSpace(string(b)), "\n")
	if i < 0 || i >= len(names) {
		return nil, fmt.Errorf("%s has %d tasks, and none of number %d", list, len(names), i)
	}
	t := g.Find(names[i])
	if t == nil {
		return nil, fmt.Errorf("there is no task %q; submit again with this program", names[i])
	}
	return t, nil
}

// queued returns a folder's jobs that have not ended in Slurm.
func (g *Graph) queued(ctx context.Context, d folder) (ids []string, err error) {
	b, err := input.Read(d.path("slurm", "jobs.json"), maxResults)
	if err != nil {
		return nil, nil // no jobs yet
	}
	if err := json.Unmarshal(b, &ids); err != nil || len(ids) == 0 {
		return nil, err
	}
	out, err := run(ctx, "squeue", "--noheader", "--format", "%A", "--me")
	if err != nil {
		return nil, err
	}
	in := strings.Fields(out)
	return slices.DeleteFunc(ids, func(id string) bool { return !slices.Contains(in, id) }), nil
}

// Status writes the graph like List, and the state of its jobs in Slurm.
func (g *Graph) Status(ctx context.Context, w io.Writer, dir string) error {
	if err := g.List(w, dir); err != nil {
		return err
	}
	ids, err := g.queued(ctx, folder(dir))
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
