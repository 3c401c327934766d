package session

import (
	"errors"
	"slices"
	"time"

	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/effect"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

const (
	mostChanges = 100         // number of changes that can be undone
	oneChange   = time.Second // changes of one control that follow each other faster count as one
)

// change is a change by the user. It can be undone and brought back.
type change struct {
	before, after doc.Past
	what          string       // control or kind of the command
	at            time.Time    // time of the last command that belongs to the change
	undo          func() error // undoes a change that is no change of the document; nil if it is one
}

// history lists the user's changes. done[at:] have been undone and can be brought back.
type history struct {
	done    []change
	at      int
	begun   bool // whether there has been a command. The first one opens the page's link or its saved session
	busy    bool // whether a change is being undone or brought back, and is not recorded
	offers  int  // number of notices so far that offer to undo the last change
	offered bool // whether the last notice offers to undo the last change in the list
}

// offer is called with every notice. A notice that is no answer to a command, for example when a file arrives, offers to
// undo something that is not in the list.
func (h *history) offer(n *wire.Notice) {
	if h.offered = false; n.Action == "Undo" {
		h.offers++
	}
}

// drop is called when the offer of the last notice is accepted. The undoing is not recorded.
func (h *history) drop() {
	h.at = max(0, h.at-1)
	h.done, h.busy = h.done[:h.at], true
}

// record adds a command to the history, if it has changed the document or offers to be undone.
func (s *Session) record(c wire.Command, before doc.Past, offered bool) {
	h := &s.history
	after, what := s.document().Past(), c.Kind
	if c.Kind == wire.Set || c.Kind == wire.Press {
		what = c.Name
	}
	next := change{before: before, after: after, what: what, at: s.now()}
	same := before.Equal(&after)
	first := !h.begun && c.Kind == wire.Link
	if h.begun = true; h.busy || first || c.Kind == wire.Restore || same && !offered {
		h.busy = false
		return
	}
	if offered {
		next.undo = s.undo
	}
	h.done = h.done[:h.at]
	if n := len(h.done); n > 0 && h.done[n-1].what == what && h.done[n-1].undo == nil && next.undo == nil && next.at.Sub(h.done[n-1].at) < oneChange {
		next.before = h.done[n-1].before
		h.done = h.done[:n-1]
	}
	if len(h.done) == mostChanges {
		h.done = slices.Delete(h.done, 0, 1)
	}
	h.done = append(h.done, next)
	h.at = len(h.done)
}

// undoChange undoes the user's last change.
func (s *Session) undoChange() effect.Effect {
	h := &s.history
	if h.at == 0 {
		return effect.Failed(errors.New("there is nothing left to undo"))
	}
	h.at--
	c := &h.done[h.at]
	if c.undo != nil { // such a change cannot be brought back
		undo := c.undo
		h.done, h.busy = h.done[:h.at], true
		return effect.Changed().And(effect.Failed(undo()))
	}
	return s.goTo(&c.after, &c.before, "Undone: ")
}

// redoChange brings back the change that was undone last.
func (s *Session) redoChange() effect.Effect {
	h := &s.history
	if h.at == len(h.done) {
		return effect.Failed(errors.New("there is nothing to bring back"))
	}
	h.at++
	c := &h.done[h.at-1]
	return s.goTo(&c.before, &c.after, "Brought back: ")
}

// goTo changes the choices in which two documents of the past differ from `from` to `to`.
func (s *Session) goTo(from, to *doc.Past, says string) effect.Effect {
	s.history.busy = true
	d := s.document().Clone()
	changed, err := d.Return(from, to)
	if err == nil {
		err = s.adopt(d, false)
	}
	if err != nil {
		return effect.Changed().And(effect.Failed(err))
	}
	s.news, s.undo = nil, nil // offers of the commands that were repeated
	return effect.Effect{Picture: true, Panel: true, Notice: &wire.Notice{Text: says + setting.First(3, ", ", changed) + "."}}
}
