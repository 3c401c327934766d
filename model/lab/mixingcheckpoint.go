package lab

import (
	"fmt"
	"io"

	"macroscope/model/ckpt"
	"macroscope/model/kernel"
	"macroscope/model/tensor"
)

const mixingName = "mixing"

// fields lists the configuration as a checkpoint carries it.
func (c *MixingConfig) fields() []field {
	l := &c.Law
	return []field{
		{"eps", &c.Eps}, {"particles", &c.Particles}, {"trajectories", &c.Trajectories}, {"thin", &c.Thin}, {"recorded", &c.Recorded},
		{"seed", &c.Seed}, {"batch", &c.Batch}, {"samples", &c.Samples}, {"shards", &c.Shards}, {"steps", &c.Steps}, {"rate", &c.Rate},
		{"encoder.dim", &c.Encoder.Dim}, {"encoder.hidden", &c.Encoder.Hidden}, {"encoder.head", &c.Encoder.Head},
		{"encoder.zdim", &c.Encoder.ZDim}, {"encoder.act", &c.Encoder.Act},
		{"flow.dim", &c.Flow.Dim}, {"flow.zdim", &c.Flow.ZDim}, {"flow.layers", &c.Flow.Layers}, {"flow.bins", &c.Flow.Bins},
		{"flow.bound", &c.Flow.Bound}, {"flow.hidden", &c.Flow.Hidden}, {"flow.blocks", &c.Flow.Blocks}, {"flow.act", &c.Flow.Act},
		{"flow.condbase", &c.Flow.CondBase}, {"flow.basehidden", &c.Flow.BaseHidden}, {"flow.order", &c.Flow.Order}, {"flow.orderseed", &c.Flow.OrderSeed},
		{"law.joint", &l.Joint}, {"law.share", &l.Share}, {"law.dt", &l.Dt}, {"law.trajectories", &l.Trajectories}, {"law.batch", &l.Batch}, {"law.window", &l.Window},
		{"law.shards", &l.Shards}, {"law.steps", &l.Steps}, {"law.rate", &l.Rate}, {"law.decay", &l.Decay},
		{"law.dim", &l.Drift.Dim}, {"law.form", (*string)(&l.Drift.Form)}, {"law.hidden", &l.Drift.Hidden}, {"law.act", &l.Drift.Act},
		{"law.onsager.hidden", &l.Drift.Onsager.Hidden}, {"law.onsager.features", &l.Drift.Onsager.Features},
		{"law.onsager.dissipative", &l.Drift.Onsager.Dissipative}, {"law.onsager.conservative", &l.Drift.Onsager.Conservative},
		{"law.onsager.alpha", &l.Drift.Onsager.Alpha},
		{"law.confined", &l.Drift.Confined}, {"law.box.half", &l.Drift.Box.Half}, {"law.box.pull", &l.Drift.Box.Pull},
		{"law.noise.form", (*string)(&l.Noise.Form)}, {"law.noise.hidden", &l.Noise.Hidden}, {"law.noise.act", &l.Noise.Act}, {"law.noise.floor", &l.Noise.Floor},
	}
}

// Checkpoint returns the model as a checkpoint, without a training.
func (m *MixingModel) Checkpoint() *ckpt.File {
	f := &ckpt.File{
		Metadata: map[string]string{metaFormat: formatVersion, metaExperiment: mixingName},
		Tensors:  append(ckpt.FromArena(&m.Layout, m.Params, paramPrefix), ckpt.FromArena(&m.LawLayout, m.LawParams, lawPrefix)...),
	}
	writeFields(f.Metadata, configPrefix, m.Config.fields())
	f.Tensors = append(f.Tensors, m.Scale.tensors()...)
	return f
}

// Checkpoint returns the model with all that the run needs to go on from here.
func (r *MixingRun) Checkpoint() *ckpt.File {
	f := r.Model.Checkpoint()
	writeFields(f.Metadata, "", []field{{stageKey, &r.stage}})
	if r.trainer != nil {
		state := training{r.trainer.Step(), r.trainer.CycleStart, r.trainer.Schedule()}
		writeFields(f.Metadata, trainingPrefix, state.fields())
		layout, first, second := r.moments()
		f.Tensors = append(f.Tensors, ckpt.FromArena(layout, r.trainer.Adam.M, first)...)
		f.Tensors = append(f.Tensors, ckpt.FromArena(layout, r.trainer.Adam.V, second)...)
	}
	return f
}

// moments returns the layout that the present stage trains and the names of its
// moments.
func (r *MixingRun) moments() (layout *tensor.Layout, first, second string) {
	if r.stage == StageFit {
		return &r.Model.Layout, firstMoment, secondMoment
	}
	return &r.Model.LawLayout, lawFirstMoment, lawSecondMoment
}

// ReadMixing opens a checkpoint.
func ReadMixing(r io.Reader) (*MixingModel, *ckpt.File, error) {
	f, err := ckpt.Decode(r)
	if err != nil {
		return nil, nil, err
	}
	m, err := MixingFromFile(f)
	return m, f, err
}

// MixingFromFile returns the model that a checkpoint holds.
func MixingFromFile(f *ckpt.File) (*MixingModel, error) {
	if err := checkExperiment(f, mixingName); err != nil {
		return nil, err
	}
	var c MixingConfig
	if err := readFields(f.Metadata, configPrefix, c.fields()); err != nil {
		return nil, fmt.Errorf("the checkpoint's configuration cannot be read: %w", err)
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("the checkpoint's configuration cannot be used: %w", err)
	}
	m := NewMixingModel(c)
	if err := f.ToArena(&m.Layout, m.Params, paramPrefix); err != nil {
		return nil, err
	}
	if err := f.ToArena(&m.LawLayout, m.LawParams, lawPrefix); err != nil {
		return nil, err
	}
	if !m.finite() {
		return nil, fmt.Errorf("the checkpoint holds a weight that is not a finite number; use one from before the training diverged")
	}
	return m, m.Scale.read(f)
}

// ResumeMixing returns a run that goes on from a checkpoint that holds one,
// with the data that it began with.
func ResumeMixing(f *ckpt.File, src MixingSource, workers int) (*MixingRun, error) {
	r, err := readMixingRun(f)
	if err != nil {
		return nil, err
	}
	r.src, r.workers = src, workers
	return r, r.checkShape()
}

// readMixingRun returns the run that a checkpoint holds, without its data.
func readMixingRun(f *ckpt.File) (*MixingRun, error) {
	m, err := MixingFromFile(f)
	if err != nil {
		return nil, err
	}
	r := &MixingRun{Model: m}
	if _, ok := f.Metadata[stageKey]; !ok {
		return nil, fmt.Errorf("the checkpoint holds weights alone, without the state of a training to resume")
	}
	if err := readFields(f.Metadata, "", []field{{stageKey, &r.stage}}); err != nil {
		return nil, fmt.Errorf("the checkpoint's training state cannot be read: %w", err)
	}
	if r.stage != StageFit && r.stage != StageLaw && r.stage != StageDone {
		return nil, fmt.Errorf("the checkpoint's training is in stage %d, and there are %d, %d and %d", r.stage, StageFit, StageLaw, StageDone)
	}
	if _, ok := f.Metadata[trainingPrefix+"step"]; !ok {
		return r, nil // between two stages
	}
	q := new(resumption)
	if q.state, err = readTraining(f); err != nil {
		return nil, err
	}
	layout, first, second := r.moments()
	q.m, q.v = make([]float32, layout.Size()), make([]float32, layout.Size())
	if err := f.ToArena(layout, q.m, first); err != nil {
		return nil, err
	}
	if err := f.ToArena(layout, q.v, second); err != nil {
		return nil, err
	}
	if !kernel.AllFinite(q.m) || !kernel.AllFinite(q.v) {
		return nil, fmt.Errorf("the checkpoint's training state holds a number that is not finite")
	}
	r.resume = q
	return r, nil
}
