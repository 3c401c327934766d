package fit

import (
	"fmt"
	"slices"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/work"
)

const (
	// ValidationCount is the number of a training's validation trajectories.
	ValidationCount = method.MostKeptOut
	// validationMembers is the number of predictions per validation trajectory for a
	// stochastic system.
	validationMembers = 39
)

// watched contains the data of the validation trajectories.
type watched struct {
	model  *model.Model
	frames int
	first  []system.Frame // the frames at which predictions start, one per trajectory
	macro  [][]float64    // the macroscopic variables of every frame (T, M)
}

func newWatched(m *model.Model, s system.Shape) *watched {
	return &watched{m, s.Frames, make([]system.Frame, s.Trajectories), make([][]float64, s.Trajectories)}
}

// ready implements store.
func (w *watched) ready(int) error { return nil }

// item implements store.
func (w *watched) item() item { return &watchedItem{watched: w} }

// entered implements store.
func (w *watched) entered(index int) item {
	return &watchedItem{w, w.first[index], w.macro[index]}
}

// watchedItem is an item of the store `watched`: the data of one trajectory.
type watchedItem struct {
	*watched
	frame system.Frame
	macro []float64
}

// fill implements item.
func (k *watchedItem) fill(t *system.Trajectory, index int, _ work.Pause) error {
	c := &k.model.Config
	k.model.System.Frame(&k.frame, t, c.Dynamics.Begin, c.Dim())
	if err := k.model.Takes(&k.frame); err != nil {
		return fmt.Errorf("trajectory %d for validation: %w", index, err)
	}
	k.macro = slices.Clone(t.Macro)
	return nil
}

// pass implements item.
func (k *watchedItem) pass(m *message) (ok bool) {
	c, f := &k.model.Config, &k.frame
	counted(m, &f.Points)
	counted(m, &f.Ends)
	counted(m, &f.Params)
	counted(m, &k.macro)
	frames := len(k.macro) / c.Variables
	return !m.short && frames > c.Dynamics.Begin && frames <= k.frames && len(k.macro) == frames*c.Variables && endsFit(f.Ends, len(f.Points), c) && c.Traits.Parameters.Check(f.Params) == nil
}

// enter implements item.
func (k *watchedItem) enter(index int) { k.first[index], k.watched.macro[index] = k.frame, k.macro }

// validation measures dynamics on the validation trajectories. The encoder must not change between two
// measurements.
type validation struct {
	*watched
	trained *model.Model   // the model in training; the field `model` is trained.Usual()
	given   *measure.Given // nil before the first measurement
	codes   *model.Codes   // the encoded trajectories, of which the last ones are for validation; nil if there are none
}

// measures contains the results of a validation: mre for deterministic dynamics, coverage and
// rmse for stochastic dynamics.
type measures struct{ mre, coverage, rmse float64 }

func newValidation(trained *model.Model, count, frames int) *validation {
	return &validation{trained: trained, watched: newWatched(trained.Usual(), system.Shape{Trajectories: count, Frames: frames})}
}

// follow copies the present weights of the trained model to the measured model.
func (v *validation) follow() {
	_ = v.trained.Tune(v.model, v.model.Config.Eps()) // the only possible error is an ε outside the range
}

// encode encodes the frames at which predictions begin. It does this only once.
func (v *validation) encode(pause work.Pause) error {
	switch {
	case v.given != nil:
		return nil
	case v.codes != nil:
		v.given = measure.GivenCodes(v.model, v.codes, v.codes.Trajectories-v.codes.Validation, v.codes.Validation)
		return nil
	}
	v.follow()
	given, coder := measure.NewGiven(v.model, len(v.first), v.frames), v.model.NewCoder()
	for e := range v.first {
		if err := given.Set(e, coder, &v.first[e], v.macro[e]); err != nil {
			return err
		}
		if err := pause(0); err != nil {
			return err
		}
	}
	v.given = given
	return nil
}

// predict predicts the validation trajectories with the present dynamics. It pauses after every predicted frame.
func (v *validation) predict(pause work.Pause) (*measure.Prediction, error) {
	if err := v.encode(pause); err != nil {
		return nil, err
	}
	v.follow()
	return v.given.Predict(pause, v.model.Weights.DynamicsParams, validationMembers, len(v.first), 1, 1)
}

// calibrate stretches the bands of a model with noise, at the end of a training on trajectories of a described system,
// by those that were kept out. Without these, and for tunable models, which have bands for each length of ẑ, it does nothing.
// Bands that no stretch makes wide enough stay as they are.
func (v *validation) calibrate(pause work.Pause) error {
	c := &v.trained.Config
	if c.Traits.Description == nil || !c.Data.KeptOut.Any() || !c.Motion().Ensemble || c.Tunable() {
		return nil
	}
	p, err := v.predict(pause)
	if err == nil {
		_ = measure.StretchBands(v.trained, p)
	}
	return err
}

// measure measures the present dynamics. It pauses after every predicted frame.
func (v *validation) measure(pause work.Pause) (m measures, err error) {
	p, err := v.predict(pause)
	if err != nil {
		return m, err
	}
	if v.model.Config.Traits.Stochastic {
		m.coverage, _, _ = p.Coverage()
		m.rmse = p.RMSE()
	} else {
		m.mre, _, _ = measure.Summary(p.MRE())
	}
	return m, nil
}

// lastOf selects consecutive trajectories of the user for the validation of a training that keeps none
// out, as in older checkpoints. It returns the index of the first one and their number. They follow the
// trajectories for training. If too few trajectories follow, validation uses the last ones, and some of
// these are also used for training.
func lastOf(c *method.Config, trajectories int) (first, count int) {
	count = min(ValidationCount, trajectories)
	return min(max(c.Data.Trajectories, c.Dynamics.Trajectories), trajectories-count), count
}

// validationSource returns the simulated validation trajectories for the training of a model.
func validationSource(m *model.Model) system.Source {
	c := &m.Config
	return m.System.Simulated(c.Choice(system.Validate, c.Seed, ValidationCount))
}
