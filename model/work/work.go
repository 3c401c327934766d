package work

import (
	"context"
	"errors"
	"iter"
)

// Pause is called by long work every few milliseconds, with the finished share of the work, from 0 to 1.
// If a Pause returns an error, the work ends and returns this error.
type Pause func(share float64) error

// Until returns a Pause that returns the error of ctx after ctx has ended. Several goroutines may call it.
func Until(ctx context.Context) Pause {
	return func(float64) error { return context.Cause(ctx) }
}

// At calls the Pause, unless it is nil.
func (p Pause) At(share float64) error {
	if p == nil {
		return nil
	}
	return p(share)
}

// Part returns a Pause for a part of the work. The part begins at the share `from` of the whole work and
// ends at the share `to`.
func (p Pause) Part(from, to float64) Pause {
	return func(share float64) error { return p(from + (to-from)*share) }
}

// errClosed ends the work of Pieces that are closed, and the other goroutines of Each after an error.
var errClosed = errors.New("work: the work was given up")

// Pieces is long work that runs in pieces. It is not safe for concurrent use.
type Pieces struct {
	resume func() (share float64, more bool)
	stop   func()
	share  float64
	err    error
	state  state
}

type state int

const (
	waits state = iota // between two pieces
	runs
	closed // given up, and the work has not returned yet
	ended
)

// Begin returns the pieces of the work `do`. The work begins with the first call of Next. It ends with a
// call of Close, which is only needed if Next has not reached the end.
func Begin(do func(pause Pause) error) *Pieces {
	p := new(Pieces)
	p.resume, p.stop = iter.Pull(func(yield func(float64) bool) {
		p.err = do(func(share float64) error {
			switch {
			case p.state == closed || p.state == runs && !yield(share):
				return errClosed
			}
			return nil // also for a call from outside of the work, as by a file that the work has opened
		})
	})
	return p
}

// Next runs the work until it pauses, and reports whether more remains. The error is the error with which
// the work ended.
func (p *Pieces) Next() (more bool, err error) {
	p.state = runs
	share, more := p.resume()
	if p.state = waits; more {
		p.share = share
		return true, nil
	}
	p.share, p.state = 1, ended
	return false, p.err
}

// Share returns the finished share of the work, from 0 to 1.
func (p *Pieces) Share() float64 { return p.share }

// Close gives up the rest of the work.
func (p *Pieces) Close() {
	if p.state != ended {
		p.state = closed
		p.stop()
		p.state = ended
	}
}
