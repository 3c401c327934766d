package fit

import (
	"fmt"
	"math"
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
	return !m.short && len(k.macro) == k.frames*c.Variables && endsFit(f.Ends, len(f.Points), c) && c.Traits.Parameters.Check(f.Params) == nil
}

// enter implements item.
func (k *watchedItem) enter(index int) { k.first[index], k.watched.macro[index] = k.frame, k.macro }

// validation measures dynamics on the validation trajectories, in short pieces of work. The encoder must
// not change during a measurement.
type validation struct {
	*watched
	trained *model.Model // the model in training; the field `model` is trained.Usual()
	coded   int          // number of trajectories whose frames have been encoded
	given   *measure.Given
	coder   *model.Coder

	params   []float32    // copy of the parameters of the measured dynamics
	pieces   *work.Pieces // the present measurement; nil while nothing is measured
	measured measures     // results of the last measurement
	at       int          // step of the present or last measurement; 0 before the first
}

// measures contains the results of a validation: mre for deterministic dynamics, coverage and
// rmse for stochastic dynamics.
type measures struct{ mre, coverage, rmse float64 }

func newValidation(trained *model.Model, count, frames int) *validation {
	m := trained.Usual()
	return &validation{
		trained: trained, watched: newWatched(m, system.Shape{Trajectories: count, Frames: frames}),
		given: measure.NewGiven(m, count, frames), coder: m.NewCoder(), params: make([]float32, len(m.DynamicsParams)),
	}
}

// newCodesValidation returns a validation on the encoded trajectories that are for validation.
func newCodesValidation(m *model.Model, codes *model.Codes) *validation {
	v := newValidation(m, codes.Validation, codes.Frames)
	v.given = measure.GivenCodes(v.model, codes, codes.Trajectories-codes.Validation, codes.Validation)
	v.coded = len(v.first)
	return v
}

// code encodes the views of the next trajectory. It returns false if there is no further
// trajectory.
func (v *validation) code() bool {
	e := v.coded
	if e == len(v.first) {
		return false
	}
	v.follow()
	v.given.Set(e, v.coder, &v.first[e], v.macro[e])
	v.coded++
	return true
}

// follow copies the present weights of the trained model to the measured model.
func (v *validation) follow() {
	_ = v.trained.Tune(v.model, v.model.Config.Eps()) // the only possible error is an ε outside the range
}

// whole reports whether all trajectories have been encoded.
func (v *validation) whole() bool { return v.coded == len(v.first) }

// begin starts a measurement of the present dynamics, which have been trained for `step` steps.
func (v *validation) begin(step int) {
	v.close()
	v.at = step
	v.follow()
	copy(v.params, v.model.DynamicsParams)
	v.pieces = work.Begin(func(pause work.Pause) error {
		p, err := v.given.Predict(pause, v.params, validationMembers, len(v.first), 1, 1)
		if err != nil {
			return err
		}
		v.measured = measures{}
		if v.model.Config.Traits.Stochastic {
			v.measured.coverage, _, _ = p.Coverage()
			v.measured.rmse = p.RMSE()
		} else {
			v.measured.mre, _, _ = measure.Summary(p.MRE())
		}
		return nil
	})
	v.advance() // the frame at which predictions begin
}

func (v *validation) busy() bool { return v.pieces != nil }

// advance predicts the next frame. After the last frame it returns the measures. They are
// infinite if a prediction has diverged.
func (v *validation) advance() (m measures, whole bool) {
	more, err := v.pieces.Next()
	if more {
		return m, false
	}
	if v.pieces = nil; err != nil {
		return measures{math.NaN(), math.NaN(), math.NaN()}, true
	}
	return v.measured, true
}

// close gives up the present measurement.
func (v *validation) close() {
	if v.pieces != nil {
		v.pieces.Close()
		v.pieces = nil
	}
}

// lastOf selects consecutive trajectories of the user for the validation of a training that keeps none
// out, as in older checkpoints. It returns the index of the first one and their number. They follow the
// trajectories for training. If too few trajectories follow, validation uses the last ones, and some of
// these are also used for training.
func lastOf(c *method.Config, trajectories int) (first, count int) {
	count = min(ValidationCount, trajectories)
	return min(max(c.Trajectories, c.Dynamics.Trajectories), trajectories-count), count
}

// validationSource returns the simulated validation trajectories for the training of a model.
func validationSource(m *model.Model) system.Source {
	c := &m.Config
	return m.System.Simulated(c.Choice(system.Validate, c.Seed, ValidationCount))
}
