package reproduce

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"time"

	"macroscope/serve/input"
)

// A process touches its lock every lockBeat. If a lock has not been touched for lockStale, its
// process has ended.
const (
	lockBeat  = 5 * time.Second
	lockStale = 60 * time.Second
)

// errTaken means that another process is running the task.
var errTaken = errors.New("another process is at work on it")

// lock is the lock of a task that this process runs. Its file contains a word of its own. If this process
// was stopped for long, another one may have replaced the file.
type lock struct {
	context.Context // ends when another process has the lock
	path, word      string
	end             context.CancelCauseFunc
}

// lock prevents other processes from running a task until the lock is released.
func (d folder) lock(ctx context.Context, t *Task) (*lock, error) {
	l := &lock{path: d.lockPath(t), word: rand.Text()}
	age, err := d.heartbeat(t)
	stale := err == nil && age > lockStale
	if stale {
		os.Remove(l.path)
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, errTaken
	}
	if err == nil {
		_, err = f.WriteString(l.word)
		err = errors.Join(err, f.Close())
	}
	if err == nil && stale {
		err = d.takeOver(t)
	}
	if err != nil {
		os.Remove(l.path)
		return nil, err
	}
	l.Context, l.end = context.WithCancelCause(ctx)
	go l.beat()
	return l, nil
}

// held reports whether the lock is still that of this process.
func (l *lock) held() bool {
	b, err := input.Read(l.path, 1<<10)
	return err == nil && string(b) == l.word
}

func (l *lock) beat() {
	beat := time.NewTicker(lockBeat)
	defer beat.Stop()
	for {
		select {
		case <-l.Done():
			return
		case now := <-beat.C:
			if !l.held() {
				l.end(errTaken)
				return
			}
			os.Chtimes(l.path, now, now)
		}
	}
}

// release reports whether the process has had the lock until now.
func (l *lock) release() bool {
	l.end(nil)
	held := l.held()
	if held {
		os.Remove(l.path)
	}
	return held
}

// sighting is the time that a lock was touched, and when this process first saw it.
type sighting struct{ touched, seen time.Time }

// heartbeat returns the time since the lock of a task was touched. If that is in the future, the clock of
// the process was ahead of this one, and heartbeat returns how long this process has seen no change. It
// opens the lock, because os.Stat can return an earlier state of a file in a folder that machines share.
func (d folder) heartbeat(t *Task) (age time.Duration, err error) {
	path := d.lockPath(t)
	f, _, err := input.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	touched, now := info.ModTime(), time.Now()
	if age = now.Sub(touched); age >= 0 {
		return age, nil
	}
	before, _ := d.ahead.LoadOrStore(path, sighting{touched, now})
	of := before.(sighting)
	if !of.touched.Equal(touched) {
		of = sighting{touched, now}
		d.ahead.Store(path, of)
	}
	return now.Sub(of.seen), nil
}

// locked reports whether a process is running a task.
func (d folder) locked(t *Task) bool {
	age, err := d.heartbeat(t)
	return err == nil && age <= lockStale
}
