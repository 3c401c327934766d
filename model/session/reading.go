package session

import (
	"fmt"
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
)

// reading is a trajectory of the visitor's own that is being read in pieces; the
// zero reading is none.
type reading struct {
	from    *ownData
	index   int  // of the trajectory, from 0
	dropped bool // the file is not in use yet: it has been dropped, or is a saved session's
	// restores says that the file is a saved session's, whose run begins at frame
	// begin; -1 lets it play.
	restores bool
	begin    int
	pieces   int // read so far, a frame each; -1 before the trajectory has begun
	since    time.Time
	done     func(*system.Trajectory, error) *wire.Notice
}

// advance reads one piece.
func (r *reading) advance() (whole bool, err error) {
	if r.pieces++; r.pieces == 0 {
		return false, r.from.reader.Begin(r.index)
	}
	return r.from.reader.Advance()
}

// task says what is being read, and how far that is.
func (r *reading) task() (text string, share float64) {
	frames := r.from.src.Shape().Frames
	at := min(max(0, r.pieces), frames)
	return fmt.Sprintf("reading %s, frame %d of %d", setting.Quote(r.from.name), at, frames), float64(at) / float64(max(1, frames))
}

// ask offers to cancel what takes long.
func (r *reading) ask(now time.Time) wire.Ask {
	if r.from == nil || now.Sub(r.since) < askAfter {
		return wire.Ask{}
	}
	return wire.Ask{Title: "Reading " + setting.Quote(r.from.name), Text: "This takes a while. What is on show stays until all of it is read."}
}

// read reads a trajectory of a file in pieces, some of them at once, in the place
// of what is being read. Then done has it, which holds until another of the file
// is read, or why it cannot be read; a file that is not in use is then closed.
func (o *own) read(r reading) *wire.Notice {
	o.stop()
	r.pieces, r.since = -1, o.s.now()
	o.reading = r
	_, n := o.readOn(r.since, readAtOnce)
	return n
}

// readOn reads until the budget is spent, and reports whether there is more to do.
func (o *own) readOn(began time.Time, budget time.Duration) (busy bool, notice *wire.Notice) {
	r := &o.reading
	if r.from == nil {
		return false, nil
	}
	o.s.stateStale = true
	for first := true; first || o.s.now().Sub(began) < budget; first = false {
		whole, err := r.advance()
		if !whole && err == nil {
			continue
		}
		was := *r
		if err != nil {
			o.stop()
			return false, was.done(nil, err)
		}
		o.reading = reading{}
		return false, was.done(was.from.reader.Trajectory(), nil)
	}
	return true, nil
}

// stop ends the reading, if there is one. What is on show stays.
func (o *own) stop() {
	from := o.reading.from
	o.reading = reading{}
	if from != o.data {
		from.close()
	}
}
