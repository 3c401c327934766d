package fit

import (
	"fmt"
	"math"
	"strconv"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/optim"
	"macroscope/model/compute/tensor"
	"macroscope/model/file/ckpt"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/learn/train"
	"macroscope/model/setting"
	"macroscope/model/system"
)

const (
	trainingPrefix = "training."
	phaseKey       = trainingPrefix + "stage"
	fitKey         = trainingPrefix + "fit" // Run.fits, of the dynamics that begin with bestPrefix
	bestPrefix     = "law.best."
)

// resumption is the state that a trainer needs to continue, in addition to the parameters.
type resumption struct {
	step, cycleStart, renewed int
	schedule                  optim.OneCycle
	m, v, rotations           []float32
}

func (r *resumption) table() setting.Table {
	s := &r.schedule
	return setting.Table{
		{Name: "step", Value: &r.step}, {Name: "cyclestart", Value: &r.cycleStart}, {Name: "renewed", Value: &r.renewed, High: method.MaxStep, Absent: "0"}, {Name: "peak", Value: &s.Peak}, {Name: "steps", Value: &s.Steps},
		{Name: "warm", Value: &s.WarmUp}, {Name: "startdiv", Value: &s.StartDiv}, {Name: "enddiv", Value: &s.EndDiv},
	}
}

func resumptionOf(t *train.Trainer) *resumption {
	return &resumption{t.Step(), t.CycleStart, t.Renewed(), t.Schedule(), t.Adam.M, t.Adam.V, t.Adam.Rotations}
}

func (r *resumption) apply(t *train.Trainer) {
	copy(t.Adam.M, r.m)
	copy(t.Adam.V, r.v)
	copy(t.Adam.Rotations, r.rotations)
	t.Resume(r.step, r.cycleStart, r.renewed, r.schedule)
}

// Checkpoint returns the model together with all state that the run needs to continue from
// here.
func (r *Run) Checkpoint() *ckpt.File {
	m := r.Model
	f := m.Checkpoint()
	if len(r.phases) > 1 { // with one phase, the step determines the state of the training
		f.Metadata[phaseKey] = fmt.Sprint(int(r.Stage()))
	}
	at := r.resume // the state from the file, until the trainer is made
	if r.trainer != nil {
		at = resumptionOf(r.trainer)
	}
	if at != nil {
		at.table().Write(f.Metadata, trainingPrefix)
		for _, a := range r.arenas(at) {
			f.Tensors = append(f.Tensors, ckpt.FromArena(a.Layout, a.Values, a.Prefix)...)
		}
	}
	if r.best != nil {
		f.Metadata[fitKey] = strconv.FormatFloat(r.fits, 'g', -1, 64)
		a := r.Model.Weights.Dynamics(r.best, bestPrefix)
		f.Tensors = append(f.Tensors, ckpt.FromArena(a.Layout, a.Values, a.Prefix)...)
	}
	return f
}

// arenas lists the parts of a checkpoint that contain a resumption's moments and rotations.
func (r *Run) arenas(at *resumption) []model.Arena {
	stageOne := r.last().Stage == Autoencoder
	as := r.Model.Weights.Moments(stageOne, at.m, at.v)
	if matrices := r.matrices(); len(matrices) > 0 {
		as = append(as, model.Rotations(stageOne, matrices, at.rotations))
	}
	return as
}

// matrices lists the matrices that the present training optimises in rotated coordinates.
func (r *Run) matrices() []tensor.Param {
	if p := r.last(); p.Soap {
		return r.Model.Weights.Matrices(p.Stage == Autoencoder)
	}
	return nil
}

// last returns the present phase or, after the end, the last phase. A training of one phase can
// be continued after its end.
func (r *Run) last() *Phase { return &r.phases[min(r.at, len(r.phases)-1)] }

// Holds reports whether a checkpoint contains a training that has not ended.
func Holds(f *ckpt.File) bool {
	s, err := stageOf(f)
	return err == nil && s < Done
}

// Unfinished returns a sentence that says where a checkpoint's training was interrupted. It returns ""
// if the training has ended, or if the checkpoint does not contain the state of a training.
func Unfinished(f *ckpt.File) string {
	stage, err := stageOf(f)
	if err != nil || stage == Done {
		return ""
	}
	var at resumption
	where := "between two stages"
	if at.read(f) == nil {
		if !model.HasStageTwo(f) && at.step >= at.schedule.Steps {
			return ""
		}
		name := "stage II"
		if stage == Autoencoder {
			name = "stage I"
		}
		where = fmt.Sprintf("in %s, at step %d of %d", name, at.step-at.renewed, at.schedule.Steps)
		if at.renewed > 0 {
			where += fmt.Sprintf(" of try %d", 1+at.renewed/at.schedule.Steps)
		}
	}
	return fmt.Sprintf("Its training was interrupted %s; train -resume continues it.", where)
}

// Doubt returns a sentence if a checkpoint's training kept none of the user's trajectories out, like
// older trainings, otherwise "". It also returns "" if the file holds neither a training nor the digest
// of its data, because such a model has no validation error.
func Doubt(f *ckpt.File, m *model.Model) string {
	if _, err := stageOf(f); err != nil && m.Data == "" {
		return ""
	}
	return m.Config.Data.Doubt()
}

// stageOf returns the phase in which a checkpoint's training was saved.
func stageOf(f *ckpt.File) (Stage, error) {
	_, underWay := f.Metadata[trainingPrefix+"step"]
	if underWay && !model.HasStageTwo(f) {
		return Autoencoder, nil
	}
	text, ok := f.Metadata[phaseKey]
	if !ok {
		return 0, fmt.Errorf("the checkpoint holds weights alone, without the state of a training to resume")
	}
	var phase int
	if err := (&setting.Field{Name: phaseKey, What: "the checkpoint's phase of training", Value: &phase, Low: float64(Autoencoder), High: float64(Done)}).Set(text); err != nil {
		return 0, fmt.Errorf("the checkpoint's training state cannot be read: %w", err)
	}
	return Stage(phase), nil
}

// Resume returns a run that continues the training in a checkpoint. src must provide the data
// on which the training began.
func Resume(systems method.Systems, f *ckpt.File, src system.Source, workers int) (*Run, error) {
	r, err := readRun(systems, f)
	if err != nil {
		return nil, err
	}
	r.src, r.workers = src, workers
	return r, r.checkShape()
}

// readRun returns the run that a checkpoint describes. It does not read the run's data.
func readRun(systems method.Systems, f *ckpt.File) (*Run, error) {
	m, err := model.Open(systems, f)
	if err != nil {
		return nil, err
	}
	r := &Run{Model: m, phases: Phases(&m.Config)}
	stage, err := stageOf(f)
	if err != nil {
		return nil, err
	}
	if r.at, err = index(r.phases, stage); err != nil {
		return nil, err
	}
	if stage == Autoencoder && !m.Weights.Decodes {
		return nil, fmt.Errorf("the checkpoint's training is of an autoencoder and lacks its decoder; choose one that was saved whole")
	}
	if _, ok := f.Metadata[trainingPrefix+"step"]; !ok {
		return r, nil // the checkpoint was saved between two phases
	}
	q := new(resumption)
	if err := q.read(f); err != nil {
		return nil, err
	}
	size := len(r.last().params(m))
	q.m, q.v = make([]float32, size), make([]float32, size)
	q.rotations = make([]float32, optim.RotationLayout(r.matrices()).Size())
	if err := model.ReadArenas(f, r.arenas(q)); err != nil {
		return nil, err
	}
	if !kernel.AllFinite(q.m) || !kernel.AllFinite(q.v) || !kernel.AllFinite(q.rotations) {
		return nil, fmt.Errorf("the checkpoint's training state holds a number that is not finite")
	}
	r.resume, r.scaled = q, true
	return r, r.readBest(f)
}

// readBest reads the best dynamics of a phase's tries so far, if a checkpoint contains any.
func (r *Run) readBest(f *ckpt.File) error {
	text, ok := f.Metadata[fitKey]
	if !ok {
		return nil
	}
	fits, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(fits) || r.last().Tries < 2 {
		return fmt.Errorf("the checkpoint's training state says that its best dynamics fit with %q, which it cannot", text)
	}
	best := make([]float32, len(r.Model.Weights.DynamicsParams))
	if err := model.ReadArenas(f, []model.Arena{r.Model.Weights.Dynamics(best, bestPrefix)}); err != nil {
		return err
	}
	r.fits, r.best = fits, best
	return nil
}

// read reads and checks the step and the schedule. It does not read the moments and rotations.
func (r *resumption) read(f *ckpt.File) error {
	if err := r.table().Read(f.Metadata, trainingPrefix); err != nil {
		return fmt.Errorf("the checkpoint's training state cannot be read: %w", err)
	}
	if r.step < 0 || r.step > method.MaxStep || r.cycleStart < 0 || r.cycleStart > r.step || r.renewed > r.cycleStart {
		return fmt.Errorf("the checkpoint's training state says step %d of a schedule that began at %d", r.step, r.cycleStart)
	}
	if err := r.schedule.Validate(); err != nil {
		return fmt.Errorf("the checkpoint's schedule cannot be used: %w", err)
	}
	return nil
}
