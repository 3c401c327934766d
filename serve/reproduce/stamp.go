package reproduce

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"macroscope/serve/input"
	"macroscope/serve/output"
	"macroscope/sim/spread"
)

// stamp records that a task was done, with its inputs and outputs.
type stamp struct {
	Name     string             `json:"name"`
	Args     []string           `json:"args"`
	Settings string             `json:"settings,omitempty"`
	In       map[string]content `json:"in,omitempty"`
	Out      map[string]content `json:"out"`
	Host     string             `json:"host"`
	Record   string             `json:"record,omitempty"` // key of the record from which the results were taken
	spent
}

// spent records the time that a task took.
type spent struct {
	Began    time.Time `json:"began"`
	Seconds  float64   `json:"seconds"`            // seconds from the last start to the end
	CPU      float64   `json:"cpu"`                // seconds over all cores, including earlier starts
	Training float64   `json:"training,omitempty"` // CPU seconds of the training of the measured model
	Program  string    `json:"program"`            // the program that did the task (see identity)
}

// content identifies the content of a file. If the size and the modification time are
// unchanged, the file need not be read again.
type content struct {
	SHA256  string    `json:"sha256"`
	Size    int64     `json:"size"`
	Changed time.Time `json:"changed"`
}

// folder is the path of the folder in which all tasks work.
type folder string

func (d folder) path(name ...string) string {
	return filepath.Join(append([]string{string(d)}, name...)...)
}

func (d folder) stampPath(t *Task) string  { return d.path("tasks", t.file()+".json") }
func (d folder) lockPath(t *Task) string   { return d.path("tasks", t.file()+".lock") }
func (d folder) beforePath(t *Task) string { return d.path("tasks", t.file()+".cpu") }
func (d folder) logPath(t *Task) string    { return d.path("log", t.file()+".log") }

// prepare makes the folders to which tasks write.
func (d folder) prepare() error {
	for _, name := range []string{"tasks", "log", "models", "slurm"} {
		if err := os.MkdirAll(d.path(name), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// hash returns the content of a file. If `known` is not nil and has the same size and
// modification time, it returns `known` without reading the file.
func (d folder) hash(name string, known *content) (c content, err error) {
	path := d.path(name)
	info, err := os.Stat(path)
	if err != nil {
		return c, err
	}
	if known != nil && info.Size() == known.Size && info.ModTime().Equal(known.Changed) {
		return *known, nil
	}
	f, _, err := input.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return c, err
	}
	return content{hex.EncodeToString(h.Sum(nil)), info.Size(), info.ModTime()}, nil
}

// view is the state of tasks in a folder at one time. Planning needs the state of every task
// several times. A view reads each task's stamp only once, and looks at the task's files only once.
type view struct {
	folder
	stamps map[string]*stamp // by the name of the task
	same   map[string]bool   // whether the task's arguments and the files that it wrote are as in its stamp
}

// lookers is how many files of a folder are read at a time. In a folder that other machines
// share, reading a small file is mostly waiting, and many files can be waited for together.
const lookers = 32

// look returns the view of some tasks. A task may occur in the list more than once.
func (d folder) look(tasks []*Task) *view {
	v := &view{d, make(map[string]*stamp), make(map[string]bool)}
	var each []*Task
	for _, t := range tasks {
		if _, ok := v.same[t.Name]; !ok {
			v.same[t.Name] = false
			each = append(each, t)
		}
	}
	var one sync.Mutex
	spread.Each(context.Background(), len(each), 1, lookers, func() func(context.Context, int, int) error {
		return func(_ context.Context, from, to int) error {
			for _, t := range each[from:to] {
				s := d.readStamp(t)
				same := s != nil && d.same(s, t)
				one.Lock()
				v.stamps[t.Name], v.same[t.Name] = s, same
				one.Unlock()
			}
			return nil
		}
	})
	return v
}

// readStamp returns the stamp of a task, or nil if there is no readable stamp.
func (d folder) readStamp(t *Task) *stamp {
	b, err := input.Read(d.stampPath(t), maxResults)
	if err != nil {
		return nil
	}
	var s stamp
	if json.Unmarshal(b, &s) != nil || s.Name != t.Name {
		return nil
	}
	return &s
}

// same reports whether a task agrees with its stamp. The settings, the arguments and the output
// files must be unchanged. The number of workers may differ.
func (d folder) same(s *stamp, t *Task) bool {
	if !slices.Equal(withoutWorkers(s.Args), withoutWorkers(t.Args)) || s.Settings != t.Settings {
		return false
	}
	for _, name := range t.Out {
		was, ok := s.Out[name]
		if !ok {
			return false
		}
		if is, err := d.hash(name, &was); err != nil || is.SHA256 != was.SHA256 {
			return false
		}
	}
	return true
}

// stamp returns the stamp of a task, or nil if there is no readable stamp.
func (v *view) stamp(t *Task) *stamp { return v.stamps[t.Name] }

// done reports whether a task is up to date. Its settings, its arguments and the files that it read
// and wrote must be the same as when it ran. The number of workers may differ.
func (v *view) done(g *Graph, t *Task) bool {
	if !v.same[t.Name] {
		return false
	}
	s := v.stamp(t)
	if s.Record != "" {
		return s.Record == g.Key(t) // the key includes the inputs
	}
	for _, name := range t.In {
		was, ok := s.In[name]
		made := v.stamp(g.maker[name])
		if !ok || made == nil || made.Out[name].SHA256 != was.SHA256 {
			return false
		}
	}
	return true
}

// recorded reports whether a task's outputs were taken from a record.
func (v *view) recorded(g *Graph, t *Task) bool {
	s := v.stamp(t)
	return s != nil && s.Record != "" && s.Record == g.Key(t) && v.done(g, t)
}

// write records that a task was done. If `record` is not "", it is the key of the record from
// which the results were taken.
func (v *view) write(g *Graph, t *Task, took spent, record string) error {
	host, _ := os.Hostname() // only for people who read the stamp
	s := stamp{Name: t.Name, Args: t.Args, Settings: t.Settings, In: make(map[string]content), Out: make(map[string]content), Host: host, Record: record, spent: took}
	for _, name := range t.In {
		if record != "" {
			break
		}
		made := v.stamp(g.maker[name])
		if made == nil {
			return fmt.Errorf("%s was made by nobody", name)
		}
		s.In[name] = made.Out[name]
	}
	for _, name := range t.Out {
		c, err := v.hash(name, nil)
		if err != nil {
			return err
		}
		s.Out[name] = c
	}
	b, err := json.MarshalIndent(&s, "", "\t")
	if err != nil {
		return err
	}
	return replace(v.stampPath(t), append(b, '\n'))
}

// replace writes a file atomically: a reader finds either the old or the new content.
func replace(path string, b []byte) error {
	f, err := output.New("the file", path)
	if err != nil {
		return err
	}
	return f.Write(func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// before returns the CPU seconds, over all cores, that a task had used before it was stopped.
func (d folder) before(t *Task) (cpu float64) {
	if b, err := input.Read(d.beforePath(t), maxResults); err == nil {
		fmt.Sscan(string(b), &cpu)
	}
	return cpu
}

// keepBefore stores the CPU seconds of a stopped task for its next run. For 0 it removes the stored
// seconds.
func (d folder) keepBefore(t *Task, cpu float64) error {
	if cpu == 0 {
		if err := os.Remove(d.beforePath(t)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return replace(d.beforePath(t), fmt.Append(nil, cpu))
}

// A process touches its lock every lockBeat. If a lock has not been touched for lockStale, its
// process has ended.
const (
	lockBeat  = 5 * time.Second
	lockStale = 60 * time.Second
)

// errTaken means that another process is running the task.
var errTaken = errors.New("another process is at work on it")

// lock prevents other processes from running a task until unlock is called.
func (d folder) lock(t *Task) (unlock func(), err error) {
	path := d.lockPath(t)
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err == nil {
			host, _ := os.Hostname()
			fmt.Fprintf(f, "%s %d\n", host, os.Getpid())
			f.Close()
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if !d.stale(t) {
			return nil, errTaken
		}
		// If two processes find that the lock is stale, only one of them can rename it.
		gone := fmt.Sprintf("%s.%d", path, os.Getpid())
		if os.Rename(path, gone) == nil {
			os.Remove(gone)
		}
	}
	stop := make(chan struct{})
	go func() {
		beat := time.NewTicker(lockBeat)
		defer beat.Stop()
		for {
			select {
			case <-stop:
				return
			case now := <-beat.C:
				os.Chtimes(path, now, now)
			}
		}
	}()
	return func() {
		close(stop)
		os.Remove(path)
	}, nil
}

// stale reports whether the process of a lock has ended.
func (d folder) stale(t *Task) bool {
	info, err := os.Stat(d.lockPath(t))
	return err == nil && time.Since(info.ModTime()) > lockStale
}

// locked reports whether a process is running a task.
func (d folder) locked(t *Task) bool {
	_, err := os.Stat(d.lockPath(t))
	return err == nil && !d.stale(t)
}
