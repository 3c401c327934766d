package session

import (
	"fmt"
	"io"
	"iter"
	"time"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

const (
	// readAtOnce is how long a command reads by itself. Work goes on.
	readAtOnce = 30 * time.Millisecond
	// askAfter is how long a file is read before the page offers to cancel that.
	askAfter = 300 * time.Millisecond
	// pieceBytes is how much of a file is read between two pauses.
	pieceBytes = 64 << 10
)

// reading is a trajectory of the visitor's own that is being read in pieces, from a
// file that is opened first if it is not open.
type reading struct {
	from    *ownData
	index   int  // of the trajectory, from 0
	dropped bool // the file is not in use yet: it has been dropped, or is a saved session's
	// restores says that the file is a saved session's, whose run begins at frame
	// begin; -1 lets it play.
	restores bool
	begin    int
	done     func(*system.Trajectory, error) *wire.Notice

	next   func() bool // does a piece and says whether there is more
	end    func()
	begun  float64 // share of what comes before the first frame
	frames int     // read so far
	since  time.Time
	err    error // at the end
}

// all reads all that there is to read.
func (r *reading) all(open func(*ownData) error, pause func()) error {
	d := r.from
	d.pause = func(done float64) {
		r.begun = max(r.begun, done)
		pause()
	}
	if d.src == nil {
		if err := open(d); err != nil {
			return err
		}
	}
	r.index = min(r.index, d.src.Shape().Trajectories-1)
	if err := d.reader.Begin(r.index); err != nil {
		return err
	}
	for r.begun = 1; ; pause() {
		whole, err := d.reader.Advance()
		if r.frames++; whole || err != nil {
			return err
		}
	}
}

// task says what is being read, and how far that is.
func (r *reading) task() (text string, share float64) {
	text = "reading " + setting.Quote(r.from.name)
	if r.frames == 0 {
		return text, r.begun / 2
	}
	frames := r.from.src.Shape().Frames
	at := min(r.frames, frames)
	return fmt.Sprintf("%s, frame %d of %d", text, at, frames), (1 + float64(at)/float64(max(1, frames))) / 2
}

// ask offers to cancel what takes long.
func (r *reading) ask(now time.Time) wire.Ask {
	if r == nil || now.Sub(r.since) < askAfter {
		return wire.Ask{}
	}
	return wire.Ask{Title: "Reading " + setting.Quote(r.from.name), Text: "This takes a while. What is on show stays until all of it is read."}
}

// read reads a trajectory of a file in pieces, some of them at once, in the place
// of what is being read. Then done has it, which holds until another of the file
// is read, or why it cannot be read; a file that is not in use is then closed.
func (o *own) read(r *reading) *wire.Notice {
	o.stop()
	r.since = o.s.now()
	r.next, r.end = inPieces(func(pause func()) { r.err = r.all(o.open, pause) })
	o.reading = r
	_, n := o.readOn(r.since, readAtOnce)
	return n
}

// readOn reads until the budget is spent, and reports whether there is more to do.
func (o *own) readOn(began time.Time, budget time.Duration) (busy bool, notice *wire.Notice) {
	r := o.reading
	if r == nil {
		return false, nil
	}
	o.s.stateStale = true
	for first := true; first || o.s.now().Sub(began) < budget; first = false {
		if r.next() {
			continue
		}
		if r.err != nil {
			o.stop()
			return o.waiting != nil, r.done(nil, r.err)
		}
		o.reading = nil
		return o.waiting != nil, r.done(r.from.reader.Trajectory(), nil)
	}
	return true, nil
}

// cancel ends the reading, as the visitor asks.
func (o *own) cancel() *wire.Notice {
	r := o.reading
	o.stop()
	if r == nil || !r.restores {
		return nil
	}
	return &wire.Notice{Text: fmt.Sprintf("The lab goes on without your file %s; open it again to have it back.", setting.Quote(r.from.name))}
}

// stop ends the reading, if there is one. What is on show stays.
func (o *own) stop() {
	r := o.reading
	if r == nil {
		return
	}
	o.reading = nil
	r.end()
	if t := &o.s.trainer; r.restores && !o.s.lab.IsSampler() && !t.needsCodes() {
		t.eager = false // what waited for the file alone
	}
	if r.from != o.data {
		r.from.close()
	}
}

// inPieces makes work something that next does piece by piece, each until work calls
// pause, and says whether there is more of. What is left after end is not done. A
// pause that is called while next is not at work is none.
func inPieces(work func(pause func())) (next func() bool, end func()) {
	type ended struct{}
	atWork := false
	step, end := iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil && r != (ended{}) {
				panic(r)
			}
		}()
		work(func() {
			if atWork && !yield(struct{}{}) {
				panic(ended{})
			}
		})
	})
	return func() bool {
		atWork = true
		_, more := step()
		atWork = false
		return more
	}, end
}

// paused is a file of the visitor's that is read with pauses.
type paused struct {
	io.ReaderAt
	of *ownData
}

// ReadAt implements io.ReaderAt.
func (p paused) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = p.ReaderAt.ReadAt(b[n:min(len(b), n+pieceBytes)], at+int64(n))
		n += m
		p.of.pause(float64(at+int64(n)) / float64(len(p.of.bytes)))
	}
	return n, err
}
