package session

import (
	"errors"

	"macroscope/model/lab/session/effect"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

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
