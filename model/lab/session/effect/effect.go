// Package effect describes the consequences of a command or a piece of work. The parts of a
// session return effects; only the session acts on them.
package effect

import "macroscope/model/wire"

// Event is a change of the displayed run.
type Event int

// The events. A later one includes the earlier ones.
const (
	None    Event = iota
	Same          // the run is unchanged, or not there yet
	Resumed       // its frames after the displayed one are gone
	Began         // there is another run
	Moved         // another frame of it is displayed
	Sought        // the user chose that frame
)

// Effect is the result of a command or a piece of work. The zero Effect is nothing.
type Effect struct {
	Picture bool // another picture must be painted
	Frame   bool // the painted picture has other numbers
	Panel   bool // the panel has changed
	Run     Event

	Notice *wire.Notice // the answer to a command
	News   *wire.Notice // unsolicited; an answer comes first
	Undo   func() error // undoes the change that News reports
}

// Changed is the effect of a change of the picture and the panel.
func Changed() Effect { return Effect{Picture: true, Panel: true} }

// Restated is the effect of a change of the panel only.
func Restated() Effect { return Effect{Panel: true} }

// Failed is the effect of an error; none for nil.
func Failed(err error) Effect { return Effect{Notice: Failure(err)} }

// Told is the effect of an answer.
func Told(text string) Effect { return Effect{Notice: &wire.Notice{Text: text}} }

// News is the effect of unsolicited news.
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

// Failure makes an error a sentence on the page; nil for no error.
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
