package session

import (
	"errors"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// arrivals brings into the workspace what comes from outside: links, files, and saved sessions. It
// asks the user first if something would be lost.
type arrivals struct {
	w      *workspace
	others List             // all labs of the program
	renew  func(of lab.Lab) // begins the session anew, with another system of the lab

	asked   asked  // the question that waits for an answer
	coming  coming // origin of the file that is being read
	example string // file of the example that is being fetched; "": none
}

// clear withdraws the question and ends the reading of a file, if there is one.
func (a *arrivals) clear() {
	a.asked.drop()
	a.w.file.Stop()
	a.w.settle(effect.Effect{})
}

// asked is a question that waits for the user's answer. The zero value means that there is no
// question.
type asked struct {
	wire.Ask
	accepted func() *wire.Notice
	dropped  func() // releases the pending file; may be nil
}

// put asks a question. It replaces the previous question.
func (a *asked) put(q asked) {
	a.drop()
	// Names in the question can come from a file.
	q.Title, q.Text = setting.Plain(q.Title), setting.Plain(q.Text)
	for i, f := range q.Facts {
		q.Facts[i] = wire.Entry{Term: setting.Plain(f.Term), Text: setting.Plain(f.Text)}
	}
	for i, text := range q.Points {
		q.Points[i] = setting.Plain(text)
	}
	*a = q
}

// drop withdraws the question.
func (a *asked) drop() {
	if a.dropped != nil {
		a.dropped()
	}
	*a = asked{}
}

// accept carries out the action that the user has confirmed.
func (a *asked) accept() *wire.Notice {
	do := a.accepted
	if do == nil {
		return effect.Failure(errors.New("there is nothing to be decided now"))
	}
	*a = asked{}
	return do()
}
