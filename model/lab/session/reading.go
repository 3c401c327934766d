package session

import (
	"fmt"
	"time"

	"macroscope/model/lab/session/intake"
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

// reading is a trajectory of the visitor's own that is being read.
type reading struct {
	of      *intake.Reading
	dropped bool // the file is not in use yet: it has been dropped, or is a saved session's
	// restores says that the file is a saved session's, whose run begins at frame
	// begin; -1 lets it play.
	restores bool
	begin    int
	done     func(*system.Trajectory, error) *wire.Notice

	since time.Time
}

// ask offers to cancel what takes long.
func (r *reading) ask(now time.Time) wire.Ask {
	if r == nil || now.Sub(r.since) < askAfter {
		return wire.Ask{}
	}
	return wire.Ask{Title: "Reading " + setting.Quote(r.of.From.Name), Text: "This takes a while. What is on show stays until all of it is read."}
}

// of begins to read a trajectory of a file.
func (o *own) of(d *intake.File, index int) *intake.Reading {
	var fits func(system.Shape) error
	if p, ok := o.s.live.(playable); ok {
		fits = p.Playable
	}
	return intake.Read(d, index, o.s.lab.System, fits)
}

// read reads a trajectory of a file in pieces, some of them at once, in the place
// of what is being read. Then done has it, which holds until another of the file
// is read, or why it cannot be read; a file that is not in use is then closed.
func (o *own) read(r *reading) *wire.Notice {
	o.stop()
	r.since = o.s.now()
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
		if r.of.Next() {
			continue
		}
		t, err := r.of.Trajectory()
		if err != nil {
			o.stop()
		}
		o.reading = nil
		return o.waiting != nil, r.done(t, err)
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
	return &wire.Notice{Text: fmt.Sprintf("The lab goes on without your file %s; open it again to have it back.", setting.Quote(r.of.From.Name))}
}

// stop ends the reading, if there is one. What is on show stays.
func (o *own) stop() {
	r := o.reading
	if r == nil {
		return
	}
	o.reading = nil
	r.of.End()
	if t := &o.s.trainer; r.restores && !o.s.lab.IsSampler() && !t.needsCodes() {
		t.eager = false // what waited for the file alone
	}
	if r.of.From != o.data {
		r.of.From.Close()
	}
}
