package reproduce

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// simulations is the group of tasks that simulate. Many other tasks read their files.
const simulations = "simulate"

// Task is one process: this program with some arguments, in the folder of the reproduction.
type Task struct {
	Name  string // "particles/flow seed 1: train"
	Group string // tasks of a group are alike, and none needs another
	Args  []string
	In    []string // files that the task reads; other tasks make them
	Out   []string // files that the task writes; a folder has them under the task's key (see File)
	// Settings lists the values that the arguments stand for, such as a preset's values. If
	// these values change, the task is a different one.
	Settings string
	// Record is set if the output of the task is kept in records (see Adopt).
	Record bool
	// Stdout is set if standard output goes to Out[0].
	Stdout bool
	// Partial is the path of a file with unfinished work, or "" if the task makes no such file.
	// With the arguments in Resume, the task continues this work. At the end, the file becomes
	// Out[0].
	Partial string
	Resume  []string
	Seconds float64 // estimated time on one core; 0 if negligible
	// render does the task without a process, if it is not nil.
	render func(folder) error
}

// Graph is a list of tasks. Each task comes after the tasks that it needs.
type Graph struct {
	Tasks []*Task
	maker map[string]*Task   // for each file, the task that makes it
	named map[string]*Task   // tasks by name
	needs map[string][]*Task // see Needs; by the names of the tasks
	keys  map[string]string  // by the names of the tasks
	ahead sync.Map           // a sighting of each lock whose time is in the future, by its path
}

// NewGraph returns the graph of tasks. Each task must come after the tasks that it needs. A repeated task
// counts once. The error names a file that no earlier task makes, or a file that two tasks make.
func NewGraph(tasks []*Task) (*Graph, error) {
	g := &Graph{maker: make(map[string]*Task), named: make(map[string]*Task), needs: make(map[string][]*Task), keys: make(map[string]string)}
	for _, t := range tasks {
		if same := g.named[t.Name]; same != nil {
			if !slices.Equal(same.Args, t.Args) {
				return nil, fmt.Errorf("there are two tasks %q", t.Name)
			}
			continue
		}
		for _, f := range t.In {
			m := g.maker[f]
			if m == nil {
				return nil, fmt.Errorf("%q reads %s, which no task before it makes", t.Name, f)
			}
			if !slices.Contains(g.needs[t.Name], m) {
				g.needs[t.Name] = append(g.needs[t.Name], m)
			}
		}
		for _, f := range t.Out {
			if g.maker[f] != nil {
				return nil, fmt.Errorf("%s is written by %q and by %q", f, g.maker[f].Name, t.Name)
			}
			g.maker[f] = t
		}
		g.Tasks, g.named[t.Name], g.keys[t.Name] = append(g.Tasks, t), t, g.key(t)
	}
	return g, nil
}

// Needs returns the tasks that make the input files of t, each task once.
func (g *Graph) Needs(t *Task) []*Task { return g.needs[t.Name] }

// Key identifies the work of a task. It is a hash of the task's settings, its arguments (except the
// number of workers), and the keys of the tasks that make its input files. A task must not be changed
// after NewGraph.
func (g *Graph) Key(t *Task) string { return g.keys[t.Name] }

func (g *Graph) key(t *Task) string {
	h := sha256.New()
	for _, arg := range withoutWorkers(t.Args) {
		fmt.Fprintf(h, "%q ", arg)
	}
	fmt.Fprintf(h, "%q", t.Settings)
	for _, n := range g.Needs(t) {
		fmt.Fprint(h, " ", g.Key(n))
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// withoutWorkers returns arguments without the number of workers, which affects only the time.
func withoutWorkers(args []string) []string {
	i := slices.Index(args, "-workers")
	if i < 0 {
		return args
	}
	return slices.Concat(args[:i], args[min(i+2, len(args)):])
}

// left returns the tasks that must be done: the results that do not exist, and the tasks that are
// needed to make them. A simulation or a model is not made again if only existing results need it.
func (d folder) left() map[*Task]bool {
	read := make(map[*Task]bool)
	for _, t := range d.Tasks {
		for _, n := range d.Needs(t) {
			read[n] = true
		}
	}
	left, seen := make(map[*Task]bool), make(map[*Task]bool)
	var visit func(t *Task)
	visit = func(t *Task) {
		if seen[t] {
			return
		}
		seen[t] = true
		if d.done(t) {
			return
		}
		left[t] = true
		for _, n := range d.Needs(t) {
			visit(n)
		}
	}
	for _, t := range d.Tasks {
		if t.Record || !read[t] {
			visit(t)
		}
	}
	return left
}

// Find returns the task with this name, or nil if there is none.
func (g *Graph) Find(name string) *Task { return g.named[name] }

// fileName returns a name in a form that can be a part of a path.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '_'
	}, name)
}
