package reproduce

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"macroscope/serve/input"
)

// Options says how tasks run.
type Options struct {
	Dir     string   // folder of all files
	Program string   // path of this program's file
	Again   []string // arguments with which the program builds the same graph
	Jobs    int      // number of tasks that run at the same time
	Stderr  io.Writer
}

// identity returns a name for a program: the commit from which it was built or, if this is
// unknown, a hash of its content.
func identity(program string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return "commit " + s.Value
			}
		}
	}
	f, _, err := input.Open(program)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("SHA-256 %x…", h.Sum(nil)[:8])
}

// runner is the state of one call of Run.
type runner struct {
	Options
	folder
	ended   map[*Task]error // error of each task that has ended; nil if the task is done
	planned float64         // estimated seconds of the tasks done here
	took    float64         // actual seconds of these tasks
}

// Run does all tasks that are not done, o.Jobs at a time. After a failed task it skips only the
// tasks that need the failed task. The error names the failed tasks.
func (g *Graph) Run(ctx context.Context, o Options) error {
	d := g.in(o.Dir)
	if err := d.prepare(); err != nil {
		return err
	}
	r := &runner{Options: o, folder: d, ended: make(map[*Task]error)}
	left := d.left()
	for _, t := range g.Tasks {
		if !left[t] {
			r.ended[t] = nil
		}
	}
	said := log.New(o.Stderr, "", 0)
	said.Print(r.summary())
	type outcome struct {
		*Task
		err  error
		took time.Duration
	}
	outcomes, begun, busy := make(chan outcome), make(map[*Task]bool), 0
	for {
		for busy < o.Jobs && ctx.Err() == nil {
			t := r.next(begun)
			if t == nil {
				break
			}
			begun[t] = true
			busy++
			go func() {
				began := time.Now()
				said.Printf("%s: begins", t.Name)
				err := g.Do(ctx, o, t, func(line string) { said.Printf("%s: %s", t.Name, line) })
				outcomes <- outcome{t, err, time.Since(began)}
			}()
		}
		if busy == 0 {
			break
		}
		t := <-outcomes
		busy--
		switch r.ended[t.Task] = t.err; {
		case t.err == nil:
			r.planned += t.Seconds
			r.took += t.took.Seconds()
			said.Printf("%s: done in %s; %s", t.Name, t.took.Round(time.Second), r.summary())
		case ctx.Err() == nil:
			said.Printf("%s: failed: %v", t.Name, t.err)
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("stopped; the same command goes on: %w", err)
	}
	var names []string
	for _, t := range g.Tasks {
		if err := r.ended[t]; err != nil {
			names = append(names, fmt.Sprintf("%s (see %s)", t.Name, d.logPath(t)))
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("failed: %s", strings.Join(names, "; "))
	}
	return nil
}

// next returns a task that can begin, or nil: all tasks that it needs are done. Tasks that another process
// is running come last, so processes with a common folder share the work.
func (r *runner) next(begun map[*Task]bool) (taken *Task) {
	for _, t := range r.Tasks {
		if _, over := r.ended[t]; over || begun[t] {
			continue
		}
		waits := slices.ContainsFunc(r.Needs(t), func(n *Task) bool {
			err, over := r.ended[n]
			return !over || err != nil
		})
		switch {
		case waits:
		case !r.locked(t):
			return t
		case taken == nil:
			taken = t
		}
	}
	return taken
}

// summary says how much is done and how long the rest will take. The remaining time is an
// estimate, corrected by the errors of the run's earlier estimates.
func (r *runner) summary() string {
	done, left := 0, 0.0
	for _, t := range r.Tasks {
		if err, over := r.ended[t]; !over {
			left += t.Seconds
		} else if err == nil {
			done++
		}
	}
	if r.planned > 0 && r.took > 0 {
		left *= r.took / r.planned
	}
	text := fmt.Sprintf("%d of %d tasks are done", done, len(r.Tasks))
	if left > 0 {
		text += fmt.Sprintf(", about %s left", duration(left/float64(max(1, r.Jobs))))
	}
	return text
}

// Patience is how long a stopped task may take to save its state.
const Patience = 30 * time.Second

// Do does one task now, unless it is done. If another process is running the task, Do waits
// until that process has ended. Do writes the task's messages to the task's log, and passes each
// line to the function `say`.
func (g *Graph) Do(ctx context.Context, o Options, t *Task, say func(line string)) error {
	d := g.in(o.Dir)
	if err := d.prepare(); err != nil {
		return err
	}
	for {
		l, err := d.lock(ctx, t)
		switch {
		case err == nil:
			if err = o.do(l, d, t, say); l.release() || ctx.Err() != nil {
				return err
			}
			say("this process was stopped, and another one has taken the task over")
		case !errors.Is(err, errTaken):
			return err
		}
		if d.done(t) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockBeat):
		}
	}
}

// do does a task under its lock, unless it is done.
func (o *Options) do(l *lock, d folder, t *Task, say func(line string)) error {
	if d.done(t) {
		return nil
	}
	for _, n := range d.Needs(t) {
		if !d.done(n) {
			return fmt.Errorf("it needs %q, which is not done", n.Name)
		}
	}
	log, err := os.OpenFile(d.logPath(t), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	if t.render == nil {
		return o.process(l, d, t, log, say)
	}
	if err = t.render(d); err != nil {
		fmt.Fprintln(log, err)
	}
	return err
}

// process does a task in a process of its own.
func (o *Options) process(l *lock, d folder, t *Task, log io.Writer, say func(line string)) error {
	if err := d.enter(t); err != nil {
		return err
	}
	work := d.workPath(t)
	spentSoFar := filepath.Join(work, spentName)
	took := spent{Began: time.Now().UTC(), Program: identity(o.Program)}
	if before := readSpent(spentSoFar); before != nil {
		took.CPU = before.CPU
	}
	for _, n := range d.Needs(t) {
		if s := readSpent(d.spentPath(n)); s != nil && t.Record && strings.HasPrefix(n.Group, "train ") {
			took.Training += s.CPU
		}
	}
	args := t.Args
	if _, err := os.Stat(filepath.Join(work, t.Partial)); err == nil && t.Partial != "" {
		args = t.Resume
	}
	fmt.Fprintf(log, "macroscope %s\n", strings.Join(args, " "))
	c := exec.CommandContext(l, o.Program, args...)
	c.Dir = work
	c.Env = append(os.Environ(), Supervised+"=1")
	var stdout bytes.Buffer
	if t.Stdout {
		c.Stdout = &stdout
	}
	last, err := runTo(c, func(line string) {
		fmt.Fprintln(log, line)
		say(line)
	})
	if state := c.ProcessState; state != nil {
		took.CPU += (state.UserTime() + state.SystemTime()).Seconds()
	}
	took.Seconds = time.Since(took.Began).Seconds()
	switch {
	case !l.held():
		os.RemoveAll(d.leftPath(t))
		return errTaken
	case err != nil && l.Err() != nil:
		err = l.Err()
	case err != nil:
		err = fmt.Errorf("%w: %s%s", err, last, d.remedy(t, last))
	case t.Stdout:
		err = replace(filepath.Join(work, t.Out[0]), stdout.Bytes())
	}
	if err = errors.Join(err, took.write(spentSoFar)); err != nil {
		return err
	}
	return d.leave(t)
}

// Supervised is an environment variable of a task's process. If it is set, the process stops when its
// standard input ends, because the process that began it was killed.
const Supervised = "MACROSCOPE_SUPERVISED"

// runTo runs a command to its end, and passes each line of its standard error to the function `say`.
// It returns the last line. If the command's context ends, the command is interrupted. If this process
// is killed, the command's standard input ends (see Supervised).
func runTo(c *exec.Cmd, say func(line string)) (last string, err error) {
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = Patience
	lines, err := c.StderrPipe()
	if err != nil {
		return "", err
	}
	if _, err := c.StdinPipe(); err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	in := bufio.NewScanner(lines)
	for in.Scan() {
		last = in.Text()
		say(last)
	}
	return last, c.Wait()
}

// remedy says what to do if the message of a failed process names a file that the process has read.
func (d folder) remedy(t *Task, message string) string {
	for _, name := range t.In {
		if strings.Contains(message, name) {
			return fmt.Sprintf("; if %s is damaged, delete it, and the same command makes it again", d.path(name))
		}
	}
	return ""
}

// List writes every task with its state, its actual or estimated time, and the tasks that it needs.
func (g *Graph) List(w io.Writer, dir string) error {
	d := g.in(dir)
	seconds, left := 0.0, d.left()
	for _, t := range g.Tasks {
		text := "not needed"
		switch s := readSpent(d.spentPath(t)); {
		case left[t] && d.locked(t):
			text = "at work"
		case left[t]:
			text = fmt.Sprintf("to do, about %s", duration(t.Seconds))
		case d.done(t) && s != nil:
			text = fmt.Sprintf("done in %s", duration(s.Seconds))
		case d.done(t):
			text = "done"
		}
		if left[t] {
			seconds += t.Seconds
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
	_, err := fmt.Fprintf(w, "%d tasks, about %s of one core left\n", len(g.Tasks), duration(seconds))
	return err
}

// duration formats a time in seconds.
func duration(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}
