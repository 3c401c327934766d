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
	w       *workspace
	done    []change
	at      int
	begun   bool // whether there has been a command. The first one opens the page's link or its saved session
	busy    bool // whether a change is being undone or brought back, and is not recorded
	offered int  // number of the news that offers to undo the last change in the list
}

// record adds a command to the history, if it has changed the document or offers to be undone.
func (h *history) record(c wire.Command, before doc.Past, offered bool) {
	after, what := h.w.document().Past(), c.Kind
	if c.Kind == wire.Set || c.Kind == wire.Press {
		what = c.Name
	}
	next := change{before: before, after: after, what: what, at: h.w.now()}
	same := before.Equal(&after)
	first := !h.begun && c.Kind == wire.Link
	if h.begun = true; h.busy || first || c.Kind == wire.Restore || same && !offered {
		h.busy = false
		return
	}
	if offered {
		next.undo = h.w.page.news.undo
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
func (h *history) undoChange() effect.Effect {
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
	return h.goTo(&c.after, &c.before, "Undone: ")
}

// redoChange brings back the change that was undone last.
func (h *history) redoChange() effect.Effect {
	if h.at == len(h.done) {
		return effect.Failed(errors.New("there is nothing to bring back"))
	}
	h.at++
	c := &h.done[h.at-1]
	return h.goTo(&c.before, &c.after, "Brought back: ")
}

// goTo changes the choices in which two documents of the past differ from `from` to `to`.
func (h *history) goTo(from, to *doc.Past, says string) effect.Effect {
	h.busy = true
	changed, err := h.w.returnTo(to, from, h.w.run.Frame())
	if err != nil {
		return effect.Changed().And(effect.Failed(err))
	}
	h.w.page.news.notice, h.w.page.news.undo = nil, nil // offers of the commands that were repeated
	return effect.Effect{Picture: true, Panel: true, Notice: &wire.Notice{Text: says + setting.First(3, ", ", changed) + "."}}
}

// undoLast accepts the offer of the last news. What it undoes is no longer a change, and the undoing is not recorded.
func (h *history) undoLast() effect.Effect {
	undo := h.w.page.news.undo
	if h.w.page.news.undo = nil; undo == nil {
		return effect.Failed(errors.New("there is nothing left to undo"))
	}
	if h.offered == h.w.page.news.number {
		h.at = max(0, h.at-1)
		h.done, h.busy = h.done[:h.at], true
	}
	err := undo()
	return effect.Changed().And(effect.Failed(err))
}

// offer lets the user undo a command that has replaced the user's own work on the run, unless the user
// was asked before.
func (h *history) offer(before *doc.Past, c wire.Command) {
	text := ""
	switch c.Kind {
	case wire.Set, wire.Press, wire.Link:
		if c.Name != wire.Accept {
			text = h.w.run.Gone(&before.Run, c.Name)
		}
	}
	if text == "" {
		return
	}
	if n := h.w.page.news.notice; n != nil {
		text = n.Text + " " + text
	}
	after := h.w.document().Past()
	h.w.settle(effect.News(&wire.Notice{Text: text, Action: "Undo", Press: "undo"}, func() error {
		_, err := h.w.returnTo(before, &after, before.Frame)
		return err
	}))
}
