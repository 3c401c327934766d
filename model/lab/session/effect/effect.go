// Package effect says what a command or a turn of work asks of the page. The parts of a
// session return effects, and the session alone acts on them.
package effect

import "macroscope/model/wire"

// Event is what happened to the run on show.
type Event int

// The events, of which a later one says more.
const (
	None    Event = iota
	Same          // the run is the same, or is not there yet
	Resumed       // its frames after the one on show are gone
	Began         // there is another run
	Moved         // another frame of it is on show
	Sought        // the visitor chose that frame
)

// Effect is what follows from a command or a turn of work. The zero Effect is nothing.
type Effect struct {
	Picture bool // another picture is to be painted
	Frame   bool // the picture that is painted has other numbers
	Panel   bool // the panel has another state
	Run     Event

	Notice *wire.Notice // the answer to a command
	News   *wire.Notice // what was not asked for; an answer comes first
	Undo   func() error // how News is undone
}

// Changed is the effect of what changes the picture and the panel.
func Changed() Effect { return Effect{Picture: true, Panel: true} }

// Restated is the effect of what changes the panel alone.
func Restated() Effect { return Effect{Panel: true} }

// Failed is the effect of an error; nil has none.
func Failed(err error) Effect { return Effect{Notice: Failure(err)} }

// Told is the effect of an answer.
func Told(text string) Effect { return Effect{Notice: &wire.Notice{Text: text}} }

// News is the effect of what was not asked for.
func News(n *wire.Notice, undo func() error) Effect { return Effect{News: n, Undo: undo} }

// And returns both effects. The earlier answer and the later news and event stay.
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

// Failure makes an error a sentence on the page; nil is none.
func Failure(err error) *wire.Notice {
	if err == nil {
		return nil
	}
	return &wire.Notice{Text: Sentence(err.Error()), Error: true}
}

// Sentence begins a text with a capital and ends it with a full stop.
func Sentence(text string) string { return UpperFirst(text) + "." }

// UpperFirst begins a text with a capital.
func UpperFirst(text string) string {
	r := []rune(text)
	if len(r) > 0 && r[0] >= 'a' && r[0] <= 'z' {
		r[0] += 'A' - 'a'
	}
	return string(r)
}
