package fit

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/learn/experiment"
	"macroscope/model/net/metric"
	"macroscope/model/system"
)

const (
	// ValidationCount is the number of a training's validation trajectories.
	ValidationCount = experiment.MostKeptOut
	// validationMembers is the number of predictions per validation trajectory for a
	// stochastic system.
	validationMembers = 39
)

// watched contains the data of the validation trajectories.
type watched struct {
	model  *experiment.Model
	frames int
	first  []system.Frame // the frames at which predictions start, one per trajectory
	macro  [][]float64    // the macroscopic variables of every frame (T, M)
}

func newWatched(m *experiment.Model, s system.Shape) *watched {
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

// work implements item.
func (k *watchedItem) work(t *system.Trajectory, index int) (whole bool, err error) {
	c := &k.model.Config
	k.model.System.Frame(&k.frame, t, c.Dynamics.Begin, c.Dim())
	if err := k.model.Takes(&k.frame); err != nil {
		return false, fmt.Errorf("trajectory %d for validation: %w", index, err)
	}
	k.macro = slices.Clone(t.Macro)
	return true, nil
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

// validation measures dynamics on the validation trajectories. It computes the same figures as
// Evaluate, but in short pieces of work. The encoder must not change during a measurement.
type validation struct {
	*watched
	trained *experiment.Model // the model in training; the field `model` is trained.Usual()
	coded   int               // number of trajectories with an encoded z0
	z0      []float32         // z at the frame where predictions begin, from every view (E, Views, V)
	truth   []float32         // true macroscopic variables (E, T, M), in the units of a Prediction
	coder   *experiment.Coder

	forecast *experiment.Forecast
	params   []float32 // copy of the parameters of the measured dynamics
	pred     []float32 // predictions of deterministic dynamics (E, T, M)
	values   []float32 // values of one ensemble
	frame    int       // next frame; 0 while nothing is measured
	at       int       // step of the present or last measurement; 0 before the first

	inside int // number of true values inside their bands
	square float64
}

// measures contains the results of a validation: mre for deterministic dynamics, coverage and
// rmse for stochastic dynamics.
type measures struct{ mre, coverage, rmse float64 }

func newValidation(trained *experiment.Model, count, frames int) *validation {
	m := trained.Usual()
	c := &m.Config
	v := &validation{
		trained: trained, watched: newWatched(m, system.Shape{Trajectories: count, Frames: frames}),
		z0: make([]float32, count*c.Views*c.States()), truth: make([]float32, count*frames*c.Variables),
		forecast: m.NewForecast(count, validationMembers), coder: m.NewCoder(), params: make([]float32, len(m.DynamicsParams)),
	}
	v.values = make([]float32, v.forecast.Rows())
	if !c.Traits.Stochastic {
		v.pred = make([]float32, len(v.truth))
	}
	return v
}

// newCodesValidation returns a validation on the encoded trajectories that are for validation.
func newCodesValidation(m *experiment.Model, codes *experiment.Codes) *validation {
	v := newValidation(m, codes.Validation, codes.Frames)
	v.z0, v.truth = v.z0[:0], v.truth[:0]
	for e := codes.Trajectories - codes.Validation; e < codes.Trajectories; e++ {
		z := codes.Of(e)
		for range m.Config.Views {
			begin := m.Config.Dynamics.Begin * codes.Variables
			v.z0 = append(v.z0, z[begin:begin+codes.Variables]...)
		}
		for t := range codes.Frames {
			for k := range m.Config.Variables {
				x := float64(z[t*codes.Variables+k])
				if m.Config.Traits.Stochastic {
					x = m.Scale.Value(k, x)
				}
				v.truth = append(v.truth, float32(x))
			}
		}
	}
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
	n, row := len(v.z0)/len(v.first), v.frames*v.model.Config.Variables
	v.coder.States(v.z0[e*n:(e+1)*n], &v.first[e], v.macro[e][:(v.model.Config.Dynamics.Begin+1)*v.model.Config.Variables])
	v.model.TruthOf(v.truth[e*row:(e+1)*row], v.macro[e])
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
	v.at, v.inside, v.square = step, 0, 0
	v.follow()
	copy(v.params, v.model.DynamicsParams)
	v.forecast.Begin(v.z0, 1, 0)
	v.read(v.forecast.Frame())
	v.frame = v.forecast.Frame() + 1
}

func (v *validation) busy() bool { return v.frame > 0 }

// advance predicts the next frame. After the last frame it returns the measures. They are
// infinite if a prediction has diverged.
func (v *validation) advance() (m measures, whole bool) {
	if v.frame < v.frames {
		v.forecast.Step(v.params)
		v.read(v.frame)
		v.frame++
		if !v.model.Config.Traits.Stochastic || v.frame < v.frames {
			return m, false
		}
	}
	v.frame = 0
	if v.pred != nil {
		errors := make([]float64, len(v.first))
		metric.MRE(errors, v.pred, v.truth)
		m.mre, _, _ = experiment.Summary(errors)
		return m, true
	}
	n := float64(len(v.first) * (v.frames - 1 - v.model.Config.Dynamics.Begin) * v.model.Config.Variables)
	return measures{coverage: float64(v.inside) / n, rmse: math.Sqrt(v.square / n)}, true
}

// read adds a frame to the predictions. For ensembles, it adds the frame to the sums of the
// measures instead.
func (v *validation) read(frame int) {
	vars := v.model.Config.Variables
	if v.pred != nil {
		v.model.Read(v.pred, v.forecast, len(v.first), 1, v.frames, frame)
		return
	}
	if frame == v.model.Config.Dynamics.Begin {
		return
	}
	for e := range v.first {
		for k := range vars {
			truth := float64(v.truth[(e*v.frames+frame)*vars+k])
			v.forecast.Macro(v.values, e, k)
			sum := 0.0
			for _, x := range v.values {
				sum += float64(x)
			}
			d := sum/float64(len(v.values)) - truth
			v.square += d * d
			low, high := experiment.Bounds(v.values, v.model.Stretch)
			if float64(low) <= truth && truth <= float64(high) {
				v.inside++
			}
		}
	}
}

// lastOf selects consecutive trajectories of the user for the validation of a training that keeps none
// out, as in older checkpoints. It returns the index of the first one and their number. They follow the
// trajectories for training. If too few trajectories follow, validation uses the last ones, and some of
// these are also used for training.
func lastOf(c *experiment.Config, trajectories int) (first, count int) {
	count = min(ValidationCount, trajectories)
	return min(max(c.Trajectories, c.Dynamics.Trajectories), trajectories-count), count
}

// validationSource returns the simulated validation trajectories for the training of a model.
func validationSource(m *experiment.Model) system.Source {
	c := &m.Config
	return m.System.Simulated(c.Choice(system.Validate, c.Seed, ValidationCount))
}
