package session

import (
	"fmt"

	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/experiment"
	"macroscope/model/wire"
)

// fetchedCodes takes the codes and begins the training that waits for them.
func (t *trainer) fetchedCodes(b []byte, err error) *wire.Notice {
	t.eager = false
	if err == nil {
		t.codes, err = experiment.ReadCodes(b)
	}
	if err != nil {
		t.runTo = place{}
		return failure(fmt.Errorf("the encoded trajectories could not be opened, so no dynamics can be trained here; reload the page, or train with the command line: %w", err))
	}
	h := t.halted
	if h == nil {
		to := t.runTo
		err = t.train()
		t.runTo = to
		return failure(err)
	}
	if err = t.resume(); err == nil && t.live != nil {
		t.trains = recipe{h.Recipe, nil}
		if h.onShow {
			err = t.s.display.choose(runs.Training, false)
		}
	}
	return failure(err)
}
