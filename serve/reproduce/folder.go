package reproduce

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"macroscope/serve/input"
	"macroscope/serve/output"
)

// folder is the folder in which the tasks of a graph work. A file that a task writes lies there
// under the task's key. It appears in one step, when the task has ended without an error, so a task
// is done if its files exist. A task with other arguments or settings has other files.
//
// The folder work contains a folder for each task that has begun. In it, the task's process finds and
// writes all files under their names without keys. It stays if the process is stopped.
type folder struct {
	*Graph
	dir string
}

func (g *Graph) in(dir string) folder { return folder{g, dir} }

// File returns the path, inside the folder of a reproduction, of a file that a task writes: for
// models/a.safetensors it is models/a.KEY8.safetensors, with the first 8 digits of the task's key.
func (g *Graph) File(name string) string {
	ending := path.Ext(name)
	return strings.TrimSuffix(name, ending) + "." + g.Key(g.maker[name])[:8] + ending
}

// path returns the path of a file that a task writes.
func (d folder) path(name string) string { return filepath.Join(d.dir, d.File(name)) }

// of returns the path of a file about a task.
func (d folder) of(t *Task, place, ending string) string {
	return filepath.Join(d.dir, place, fileName(t.Name)+"."+d.Key(t)[:8]+ending)
}

func (d folder) logPath(t *Task) string   { return d.of(t, "log", ".log") }
func (d folder) spentPath(t *Task) string { return d.of(t, "log", ".json") }
func (d folder) lockPath(t *Task) string  { return d.of(t, "work", ".lock") }
func (d folder) workPath(t *Task) string  { return d.of(t, "work", "") }
func (d folder) leftPath(t *Task) string  { return d.of(t, "work", ".left") }

// done reports whether a task is done.
func (d folder) done(t *Task) bool {
	for _, name := range t.Out {
		if _, err := os.Stat(d.path(name)); err != nil {
			return false
		}
	}
	return true
}

// check returns an error if the folder has no keys in the names of its files.
func (d folder) check() error {
	if _, err := os.Stat(filepath.Join(d.dir, "tasks")); err == nil {
		return fmt.Errorf("%s was written by an older version of this program, which named its files otherwise; choose another folder with -dir", d.dir)
	}
	return nil
}

// prepare makes the folders of the tasks' logs, work and jobs.
func (d folder) prepare() error {
	if err := d.check(); err != nil {
		return err
	}
	for _, name := range []string{"log", "work", "slurm"} {
		if err := os.MkdirAll(filepath.Join(d.dir, name), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// enter makes the folder in which a task's process works, with links to the files that it reads. If
// the task was stopped before, the folder has its unfinished work.
func (d folder) enter(t *Task) error {
	for _, name := range slices.Concat(t.In, t.Out) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(d.workPath(t), name)), 0o755); err != nil {
			return err
		}
	}
	for _, name := range t.In {
		from, err := filepath.Abs(d.path(name))
		if err != nil {
			return err
		}
		link := filepath.Join(d.workPath(t), name)
		os.Remove(link) // of an earlier start
		if os.Symlink(from, link) != nil {
			err = os.Link(from, link) // Windows allows symbolic links only to some users
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leave moves the files that a task's process has written to their places. The task is then done.
func (d folder) leave(t *Task) error {
	if err := os.Rename(filepath.Join(d.workPath(t), spentName), d.spentPath(t)); err != nil {
		return err
	}
	for i, name := range t.Out {
		if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o755); err != nil {
			return err
		}
		from := name
		if i == 0 && t.Partial != "" {
			from = t.Partial
		}
		if err := os.Rename(filepath.Join(d.workPath(t), from), d.path(name)); err != nil {
			return err
		}
	}
	os.RemoveAll(d.leftPath(t)) // if a process still writes there, it removes the folder when it ends
	return os.RemoveAll(d.workPath(t))
}

// takeOver begins a folder for a task with the unfinished work of a process that no longer touches its
// lock. That process may only be stopped, so it keeps its folder, under another name.
func (d folder) takeOver(t *Task) error {
	left, work := d.leftPath(t), d.workPath(t)
	if err := os.RemoveAll(left); err != nil {
		return err
	}
	if err := os.Rename(work, left); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for _, name := range []string{spentName, t.Partial} {
		file, _, err := input.Open(filepath.Join(left, name))
		if err != nil {
			continue // it has not come so far, or the task has no such file
		}
		to := filepath.Join(work, name)
		if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
			err = output.Replace(to, func(w io.Writer) error {
				_, err := io.Copy(w, file)
				return err
			})
		}
		file.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// spent records the time that a task took.
type spent struct {
	Began    time.Time `json:"began"`
	Seconds  float64   `json:"seconds"`            // seconds from the last start to the end
	CPU      float64   `json:"cpu"`                // seconds over all cores, including earlier starts
	Training float64   `json:"training,omitempty"` // CPU seconds of the training of the measured model
	Program  string    `json:"program"`            // the program that did the task (see identity)
}

// spentName is the name of the file in a task's folder with the time that the task has taken so far.
const spentName = "spent.json"

// readSpent returns the content of a file that spent.write has written, or nil.
func readSpent(path string) *spent {
	var s spent
	if b, err := input.Read(path, maxResults); err != nil || json.Unmarshal(b, &s) != nil {
		return nil
	}
	return &s
}

func (s *spent) write(path string) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(path, append(b, '\n'))
}

// replace writes a file atomically: a reader finds either the old or the new content.
func replace(path string, b []byte) error {
	return output.Replace(path, content(b))
}

func content(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}
