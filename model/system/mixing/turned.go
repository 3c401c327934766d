package mixing

import (
	"errors"
	"fmt"
	"strings"

	"macroscope/model/setting"
	"macroscope/sim/lj"
)

// turn holds the parameters of a run from one frame on.
type turn struct {
	frame int
	cfg   lj.Config
}

// turnable lists the settings that can change after the start of a run. Turned writes them in
// this order.
var turnable = [...]string{"temperature", "e11", "e22", "e12"}

// The separators in the text of Turned.
const turnsApart, numbersApart = "~", ","

// Turned returns the turnable settings' values at the start of the run, and the changes during the
// run, as a text for Turn. A change consists of a frame and the values from this frame on. Without
// changes the text is "".
func (l *Live) Turned() string {
	begun, turns := l.settings.config(), l.plan
	if r := &l.run; !l.relax.under() {
		if !l.simulated() {
			return ""
		}
		begun, turns = r.cfg, r.turns()
	}
	if len(turns) == 0 {
		return ""
	}
	parts := []string{numbers(l.settings, begun)}
	for _, t := range turns {
		parts = append(parts, fmt.Sprint(t.frame)+numbersApart+numbers(l.settings, t.cfg))
	}
	return strings.Join(parts, turnsApart)
}

// The function `numbers` returns the values of the settings in `turnable` as a text. The values
// come from the configuration c.
func numbers(s settings, c lj.Config) string {
	s.tune(c)
	var texts []string
	for _, name := range turnable {
		texts = append(texts, s.table().Find(name).Text())
	}
	return strings.Join(texts, numbersApart)
}

// Turn restarts the run that the settings describe. `text` comes from Turned and describes another
// run. The new run repeats the changes of the other run at the same frames, with the same bits. If
// Turn returns an error, nothing has changed.
func (l *Live) Turn(text string) error {
	was := l.settings
	s, turns, err := was.turns(text)
	if err == nil {
		l.settings, l.plan = s, turns
		err = l.begin()
	}
	if err != nil {
		l.settings, l.plan = was, nil
	}
	return plain(err)
}

// The method `turns` reads the text of Turned. It returns the settings at the start of the run, and
// the changes.
func (s settings) turns(text string) (begun settings, turns []turn, err error) {
	parts := strings.Split(text, turnsApart)
	if len(parts) < 2 || len(parts) > maxFrames+2 {
		return s, nil, fmt.Errorf("there are %d changes in mid-run, and a run has 1 to %d", len(parts)-1, maxFrames+1)
	}
	begun = s
	for i, part := range parts {
		texts, at := strings.Split(part, numbersApart), -1
		if i > 0 {
			frame := setting.Field{Name: "frame", What: "the frame of a change", Value: &at, Low: 0, High: maxFrames}
			if err := frame.Set(texts[0]); err != nil {
				return s, nil, err
			}
			if texts = texts[1:]; i > 1 && at <= turns[i-2].frame {
				return s, nil, errors.New("the changes in mid-run are not in their order")
			}
		}
		if len(texts) != len(turnable) {
			return s, nil, fmt.Errorf("a change in mid-run has %d numbers, and %d are needed", len(texts), len(turnable))
		}
		table := s.table()
		for k, name := range turnable {
			if err := table.Find(name).Set(texts[k]); err != nil {
				return begun, nil, err
			}
		}
		if err := s.config().Validate(); err != nil {
			return begun, nil, err
		}
		if i == 0 {
			begun = s
			continue
		}
		turns = append(turns, turn{at, s.config()})
	}
	return begun, turns, nil
}

// turns returns the changes of the run so far, and the planned changes.
func (r *run) turns() (turns []turn) {
	was := r.cfg
	for k, c := range append(r.tuned[:len(r.tuned):len(r.tuned)], r.wanted) {
		if c != was {
			turns = append(turns, turn{k, c})
		}
		was = c
	}
	return append(turns, r.plan...)
}

// follow stores the parameters planned for the displayed frame in r.wanted.
func (r *run) follow() {
	for len(r.plan) > 0 && r.plan[0].frame <= r.now {
		r.wanted, r.plan = r.plan[0].cfg, r.plan[1:]
	}
}
