package reproduce

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say how tasks are done.
type Options struct {
	Dir     string   // where all files are
	Program string   // this program's file
	Common  []string // arguments by which reproduce finds the same graph again
	Jobs    int      // at a time
	Stderr  io.Writer
}

// identity names a program by the commit that it was built from, as far as the
// build knows, and otherwise by its content.
func identity(program string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return "commit " + s.Value
			}
		}
	}
	c, err := folder("").hash(program, nil)
	if err != nil {
		return "unknown"
	}
	return "SHA-256 " + c.SHA256[:16] + "…"
}

// runner is a run on this machine.
type runner struct {
	Options
	g   *Graph
	dir folder

	mu      sync.Mutex // guards what follows, and Stderr
	state   map[*Task]state
	began   time.Time
	planned float64 // of the tasks that were done here, as estimated
	took    float64 // and as it was
}

type state int

const (
	waiting state = iota
	running
	finished
	failed
	skipped // since something that it needs failed
)

// Run does all tasks that are not done, so many at a time. A task that fails
// leaves out those that need it, not the others; the error names them.
func (g *Graph) Run(ctx context.Context, o Options) error {
	r := &runner{Options: o, g: g, dir: folder(o.Dir), state: make(map[*Task]state), began: time.Now()}
	if err := r.dir.prepare(); err != nil {
		return err
	}
	left := g.left(r.dir)
	if err := g.clash(r.dir, left); err != nil {
		return err
	}
	for _, t := range g.Tasks {
		if !left[t] && r.ready(t) {
			r.state[t] = finished
		}
	}
	r.say("%s", r.summary())
	woken := make(chan struct{}, len(g.Tasks))
	busy := 0
	for {
		r.mu.Lock()
		for _, t := range g.Tasks {
			if busy < r.Jobs && ctx.Err() == nil && r.state[t] == waiting && r.ready(t) {
				r.state[t] = running
				busy++
				go func() {
					r.do(ctx, t)
					woken <- struct{}{}
				}()
			}
		}
		r.mu.Unlock()
		if busy == 0 {
			break
		}
		<-woken
		busy--
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("stopped; the same command goes on: %w", err)
	}
	var names []string
	for _, t := range g.Tasks {
		if r.state[t] == failed {
			names = append(names, fmt.Sprintf("%s (see %s)", t.Name, r.dir.logPath(t)))
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("failed: %s", strings.Join(names, "; "))
	}
	return nil
}

// ready says whether what a task needs is finished; what failed makes it skipped.
func (r *runner) ready(t *Task) bool {
	for _, n := range r.g.Needs(t) {
		switch r.state[n] {
		case failed, skipped:
			r.state[t] = skipped
			return false
		case finished:
		default:
			return false
		}
	}
	return true
}

// do does a task and notes how it ended.
func (r *runner) do(ctx context.Context, t *Task) {
	began := time.Now()
	r.say("%s: begins", t.Name)
	err := r.g.Do(ctx, r.Options, t, func(line string) { r.say("%s: %s", t.Name, line) })
	r.mu.Lock()
	r.state[t] = finished
	if err != nil {
		r.state[t] = failed
	} else {
		r.planned += t.Seconds
		r.took += time.Since(began).Seconds()
	}
	r.mu.Unlock()
	switch {
	case ctx.Err() != nil:
	case err != nil:
		r.say("%s: failed: %v", t.Name, err)
	default:
		r.say("%s: done in %s; %s", t.Name, time.Since(began).Round(time.Second), r.summary())
	}
}

// summary says how much is done and how long the rest will take: as estimated,
// corrected by how the estimates of this run held.
func (r *runner) summary() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	done, left := 0, 0.0
	for _, t := range r.g.Tasks {
		switch r.state[t] {
		case finished:
			done++
		case waiting, running:
			left += t.Seconds
		}
	}
	if r.planned > 0 && r.took > 0 {
		left *= r.took / r.planned
	}
	text := fmt.Sprintf("%d of %d tasks are done", done, len(r.g.Tasks))
	if left > 0 {
		text += fmt.Sprintf(", about %s left", time.Duration(left/float64(max(1, r.Jobs))*float64(time.Second)).Round(time.Second))
	}
	return text
}

func (r *runner) say(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintln(r.Stderr, text)
}

// patience is how long a task that is stopped may take to save what it has.
const patience = 30 * time.Second

// Do does one task now, unless it is done or another process is at work on it,
// for which it waits. What the task says goes to its log, and to say.
func (g *Graph) Do(ctx context.Context, o Options, t *Task, say func(line string)) error {
	d := folder(o.Dir)
	if err := d.prepare(); err != nil {
		return err
	}
	unlock, err := d.lock(t)
	for errors.Is(err, errTaken) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockBeat):
		}
		unlock, err = d.lock(t)
	}
	if err != nil {
		return err
	}
	defer unlock()
	if d.done(g, t) {
		return nil
	}
	for _, n := range g.Needs(t) {
		if !d.done(g, n) {
			return fmt.Errorf("it needs %q, which is not done", n.Name)
		}
	}
	took := spent{Began: time.Now().UTC(), CPU: d.before(t), Program: identity(o.Program)}
	cpu, err := o.process(ctx, d, t, say)
	took.CPU += cpu
	if err != nil {
		return errors.Join(err, d.keepBefore(t, took.CPU))
	}
	took.Seconds = time.Since(took.Began).Seconds()
	for _, n := range g.Needs(t) {
		if s := d.stamp(n); s != nil && t.Record && strings.HasPrefix(n.Group, "train ") {
			took.Training += s.CPU
		}
	}
	if err := d.write(g, t, took, ""); err != nil {
		return err
	}
	return d.keepBefore(t, 0)
}

// process runs a task's process to its end, puts its files in their place and
// returns the seconds that it had of all cores.
func (o *Options) process(ctx context.Context, d folder, t *Task, say func(line string)) (cpu float64, err error) {
	args := t.Args
	if t.Partial != "" {
		if _, err := os.Stat(d.path(t.Partial)); err == nil {
			args = t.Resume
		}
	}
	for _, name := range t.Out {
		if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o755); err != nil {
			return 0, err
		}
	}
	log, err := os.OpenFile(d.logPath(t), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	fmt.Fprintf(log, "macroscope %s\n", strings.Join(args, " "))
	c := exec.CommandContext(ctx, o.Program, args...)
	c.Dir = o.Dir
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = patience
	var stdout bytes.Buffer
	if t.Stdout {
		c.Stdout = &stdout
	}
	lines, err := c.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := c.Start(); err != nil {
		return 0, err
	}
	last := ""
	in := bufio.NewScanner(lines)
	for in.Scan() {
		last = in.Text()
		fmt.Fprintln(log, last)
		say(last)
	}
	err = c.Wait()
	if c.ProcessState != nil {
		cpu = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
		err = fmt.Errorf("%w: %s", err, last)
	case t.Stdout:
		err = replace(d.path(t.Out[0]), stdout.Bytes())
	case t.Partial != "":
		err = os.Rename(d.path(t.Partial), d.path(t.Out[0]))
	}
	return cpu, err
}

// List writes what there is to be done: every task with its state, how long it
// took or will take, and what it needs.
func (g *Graph) List(w io.Writer, dir string) error {
	d := folder(dir)
	left, todo := 0.0, g.left(d)
	for _, t := range g.Tasks {
		text := fmt.Sprintf("to do, about %s", seconds(t.Seconds))
		s := d.stamp(t)
		switch {
		case !todo[t] && s == nil:
			text = "not needed"
		case !todo[t] && s.Record != "":
			text = "taken from a record"
		case !todo[t]:
			text = fmt.Sprintf("done in %s on %s", seconds(s.Seconds), s.Host)
		case d.locked(t):
			text = "at work"
			left += t.Seconds
		default:
			left += t.Seconds
		}
		var needs []string
		for _, n := range g.Needs(t) {
			needs = append(needs, n.Name)
		}
		slices.Sort(needs)
		if len(needs) > 3 {
			needs = append(needs[:2], fmt.Sprintf("and %d more", len(needs)-2))
		}
		if len(needs) > 0 {
			text += "; needs " + strings.Join(needs, ", ")
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", t.Name, text); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d tasks, about %s of one core left\n", len(g.Tasks), seconds(left))
	return err
}

// seconds returns a time as text.
func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}
