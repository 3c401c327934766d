// Package effect describes the consequences of a command or a piece of work. The parts of a
// session return effects; only the session carries out the consequences.
package effect

import "macroscope/model/wire"

// Event is a change of the displayed run.
type Event int

// The events.
const (
	None    Event = iota
	Same          // the run has not changed, or does not exist yet
	Resumed       // the frames after the displayed one have changed
	Began         // another run has begun
	Moved         // another frame is displayed
	Sought        // the user has chosen another frame
)

// Effect is the result of a command or a piece of work. The zero Effect changes nothing.
type Effect struct {
	Picture bool // the picture must be painted again
	Frame   bool // values in the painted picture have changed
	Panel   bool // the panel has changed
	Run     Event

	Notice *wire.Notice // answer to a command
	News   *wire.Notice // a message that is not an answer; it is sent after the answer
	Undo   func() error // undoes the change that News is about
}

// Changed returns an effect that changes the picture and the panel.
func Changed() Effect { return Effect{Picture: true, Panel: true} }

// Restated returns an effect that changes only the panel.
func Restated() Effect { return Effect{Panel: true} }

// Failed returns the effect of an error. If err is nil, it changes nothing.
func Failed(err error) Effect { return Effect{Notice: Failure(err)} }

// Told returns an effect that answers a command with a text.
func Told(text string) Effect { return Effect{Notice: &wire.Notice{Text: text}} }

// News returns an effect that sends a notice that is not an answer.
func News(n *wire.Notice, undo func() error) Effect { return Effect{News: n, Undo: undo} }

// The method And combines the effects e and `other`. If both have an answer, the result has the
// answer of e. If both have an event, the result has the event of `other`. If both have news, the
// result has the news of `other`.
func (e Effect) And(other Effect) Effect {
	e.Picture, e.Frame, e.Panel = e.Picture || other.Picture, e.Frame || other.Frame, e.Panel || other.Panel
	if other.Run != None {
		e.Run = other.Run
	}
	if e.Notice == nil {
		e.Notice = other.Notice
	}
	if other.News != nil {
		e.News, e.Undo = other.News, other.Undo
	}
	return e
}

// Failure returns the notice about an error for the user, or nil if there is no error.
func Failure(err error) *wire.Notice {
	if err == nil {
		return nil
	}
	return &wire.Notice{Text: Sentence(err.Error()), Error: true}
}

// Sentence returns a text with a capital first letter and a full stop.
func Sentence(text string) string { return UpperFirst(text) + "." }

// UpperFirst returns a text with a capital first letter.
func UpperFirst(text string) string {
	r := []rune(text)
	if len(r) > 0 && r[0] >= 'a' && r[0] <= 'z' {
		r[0] += 'A' - 'a'
	}
	return string(r)
}
