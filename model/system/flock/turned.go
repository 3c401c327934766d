package flock

import (
	"errors"
	"fmt"
	"strings"

	"macroscope/model/setting"
)

// The separators in the text of Turned.
const turnsApart, numbersApart = "~", ","

// mostTurns is the largest number of changes in the text for Turn.
const mostTurns = 100

// Turned returns the changes of the noise while the run played, as a text for Turn: the noise at frame 0, and then the
// frame and the noise of each change. Without changes the text is "".
func (l *Live) Turned() string {
	if len(l.turns) < 2 {
		return ""
	}
	parts := []string{fmt.Sprint(l.turns[0].eta)}
	for _, t := range l.turns[1:] {
		parts = append(parts, fmt.Sprint(t.frame)+numbersApart+fmt.Sprint(t.eta))
	}
	return strings.Join(parts, turnsApart)
}

// Turn restarts the run that the settings describe, with the changes of another run, whose Turned is `text`. If Turn
// returns an error, nothing has changed.
func (l *Live) Turn(text string) error {
	turns, err := parseTurns(text)
	if err != nil {
		return err
	}
	was := l.settings.eta
	l.settings.eta = turns[len(turns)-1].eta
	if err = l.begin(turns); err != nil {
		l.settings.eta = was
	}
	return err
}

// parseTurns reads the text of Turned.
func parseTurns(text string) (turns []turn, err error) {
	parts := strings.Split(text, turnsApart)
	if len(parts) < 2 || len(parts) > mostTurns+1 {
		return nil, fmt.Errorf("there are %d changes in mid-run, and a run has 1 to %d", len(parts)-1, mostTurns)
	}
	for i, part := range parts {
		t := turn{}
		if i > 0 {
			frame, eta, _ := strings.Cut(part, numbersApart)
			field := setting.Field{Name: "frame", What: "the frame of a change", Value: &t.frame, Low: 1, High: maxSteps}
			if err := field.Set(frame); err != nil {
				return nil, err
			}
			if t.frame <= turns[i-1].frame {
				return nil, errors.New("the changes in mid-run are not in their order")
			}
			part = eta
		}
		s := defaults()
		if err := s.ofNoise().Set("eta", part); err != nil {
			return nil, err
		}
		t.eta = s.eta
		turns = append(turns, t)
	}
	return turns, nil
}
