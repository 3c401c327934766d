package lab

import (
	"fmt"
	"io"

	"macroscope/model/ckpt"
	"macroscope/model/kernel"
	"macroscope/model/train"
)

const (
	particlesName = "particles"
	// Prefixes of the law's tensors; those of the autoencoder are the demo's.
	lawPrefix       = "law.param."
	lawFirstMoment  = "law.adam.m."
	lawSecondMoment = "law.adam.v."
	stageKey        = trainingPrefix + "stage"
)

// fields lists the configuration as a checkpoint carries it.
func (c *ParticlesConfig) fields() []field {
	fields := []field{
		{"eps", &c.Eps}, {"macro", &c.Macro}, {"particles", &c.Particles}, {"trajectories", &c.Trajectories}, {"rotate", &c.Rotate}, {"recorded", &c.Recorded}, {"views", &c.Views},
		{"seed", &c.Seed}, {"batch", &c.Batch}, {"samples", &c.Samples}, {"shards", &c.Shards}, {"steps", &c.Steps}, {"rate", &c.Rate},
		{"encoder.dim", &c.Encoder.Dim}, {"encoder.hidden", &c.Encoder.Hidden}, {"encoder.head", &c.Encoder.Head},
		{"encoder.zdim", &c.Encoder.ZDim}, {"encoder.act", &c.Encoder.Act},
		{"flow.dim", &c.Flow.Dim}, {"flow.zdim", &c.Flow.ZDim}, {"flow.layers", &c.Flow.Layers}, {"flow.bins", &c.Flow.Bins},
		{"flow.bound", &c.Flow.Bound}, {"flow.hidden", &c.Flow.Hidden}, {"flow.blocks", &c.Flow.Blocks}, {"flow.act", &c.Flow.Act},
		{"flow.condbase", &c.Flow.CondBase}, {"flow.basehidden", &c.Flow.BaseHidden}, {"flow.order", &c.Flow.Order}, {"flow.orderseed", &c.Flow.OrderSeed},
	}
	return append(fields, c.Law.fields()...)
}

// fields lists stage II's part of a configuration.
func (l *LawConfig) fields() []field {
	fields := []field{
		{"law.dim", &l.Drift.Dim}, {"law.form", (*string)(&l.Drift.Form)}, {"law.hidden", &l.Drift.Hidden}, {"law.act", &l.Drift.Act},
		{"law.onsager.hidden", &l.Drift.Onsager.Hidden}, {"law.onsager.features", &l.Drift.Onsager.Features},
		{"law.onsager.dissipative", &l.Drift.Onsager.Dissipative}, {"law.onsager.conservative", &l.Drift.Onsager.Conservative},
		{"law.onsager.alpha", &l.Drift.Onsager.Alpha},
		{"law.confined", &l.Drift.Confined}, {"law.box.half", &l.Drift.Box.Half}, {"law.box.pull", &l.Drift.Box.Pull},
		{"law.dt", &l.Dt}, {"law.trajectories", &l.Trajectories},
	}
	fields = append(fields, l.Fit.fields("law.fit.")...)
	return append(fields, l.Roll.fields("law.roll.")...)
}

// laterFields lists what checkpoints did not have at first.
func (c *ParticlesConfig) laterFields() []field {
	return []field{{"warm", &c.Warm}, {"every", &c.Every}, {"thin", &c.Thin}}
}

func (t *LawTraining) fields(prefix string) []field {
	return []field{
		{prefix + "batch", &t.Batch}, {prefix + "shards", &t.Shards}, {prefix + "steps", &t.Steps}, {prefix + "rate", &t.Rate},
		{prefix + "decay", &t.Decay}, {prefix + "noise", &t.Noise}, {prefix + "window", &t.Window}, {prefix + "stride", &t.Stride},
		{prefix + "power", &t.Power}, {prefix + "macro", &t.Macro}, {prefix + "start", &t.Start},
	}
}

// Checkpoint returns the model as a checkpoint, without a training.
func (m *ParticlesModel) Checkpoint() *ckpt.File {
	f := &ckpt.File{
		Metadata: map[string]string{metaFormat: formatVersion, metaExperiment: particlesName},
		Tensors:  append(ckpt.FromArena(&m.Layout, m.Params, paramPrefix), ckpt.FromArena(&m.LawLayout, m.LawParams, lawPrefix)...),
	}
	writeFields(f.Metadata, configPrefix, append(m.Config.fields(), m.Config.laterFields()...))
	f.Tensors = append(f.Tensors, m.Scale.tensors()...)
	return f
}

// Checkpoint returns the model with all that the run needs to go on from here.
func (r *ParticlesRun) Checkpoint() *ckpt.File {
	m := r.Model
	f := m.Checkpoint()
	writeFields(f.Metadata, "", []field{{stageKey, &r.stage}})
	at := r.resume // as long as the stage's data are not there
	if r.trainer != nil {
		at = &resumption{
			training{r.trainer.Step(), r.trainer.CycleStart, r.trainer.Schedule()}, r.trainer.Adam.M, r.trainer.Adam.V,
		}
	}
	if at != nil {
		writeFields(f.Metadata, trainingPrefix, at.state.fields())
		layout, first, second := &m.Layout, firstMoment, secondMoment
		if r.stage != StageFit {
			layout, first, second = &m.LawLayout, lawFirstMoment, lawSecondMoment
		}
		f.Tensors = append(f.Tensors, ckpt.FromArena(layout, at.m, first)...)
		f.Tensors = append(f.Tensors, ckpt.FromArena(layout, at.v, second)...)
	}
	return f
}

// ReadParticles opens a checkpoint.
func ReadParticles(r io.Reader) (*ParticlesModel, *ckpt.File, error) {
	f, err := ckpt.Decode(r)
	if err != nil {
		return nil, nil, err
	}
	m, err := ParticlesFromFile(f)
	return m, f, err
}

// ParticlesFromFile returns the model that a checkpoint holds.
func ParticlesFromFile(f *ckpt.File) (*ParticlesModel, error) {
	if err := checkExperiment(f, particlesName); err != nil {
		return nil, err
	}
	c := ParticlesConfig{Every: 1, Thin: 1}
	err := readFields(f.Metadata, configPrefix, c.fields())
	if err == nil {
		err = readLaterFields(f.Metadata, configPrefix, c.laterFields())
	}
	if err != nil {
		return nil, fmt.Errorf("the checkpoint's configuration cannot be read: %w", err)
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("the checkpoint's configuration cannot be used: %w", err)
	}
	m := NewParticlesModel(c)
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

// resumption is what a trainer needs to go on.
type resumption struct {
	state training
	m, v  []float32
}

func (r *resumption) apply(t *train.Trainer) {
	copy(t.Adam.M, r.m)
	copy(t.Adam.V, r.v)
	t.Resume(r.state.step, r.state.cycleStart, r.state.schedule)
}

// ResumeParticles returns a run that goes on from a checkpoint that holds one,
// with the data that it began with.
func ResumeParticles(f *ckpt.File, src Source, workers int) (*ParticlesRun, error) {
	m, err := ParticlesFromFile(f)
	if err != nil {
		return nil, err
	}
	r := &ParticlesRun{Model: m, src: src, workers: workers}
	if _, ok := f.Metadata[stageKey]; !ok {
		return nil, fmt.Errorf("the checkpoint holds weights alone, without the state of a training to resume")
	}
	if err := readFields(f.Metadata, "", []field{{stageKey, &r.stage}}); err != nil {
		return nil, fmt.Errorf("the checkpoint's training state cannot be read: %w", err)
	}
	if r.stage < StageFit || r.stage > StageDone {
		return nil, fmt.Errorf("the checkpoint's training is in stage %d, and there are %d to %d", r.stage, StageFit, StageDone)
	}
	if err := r.checkShape(); err != nil {
		return nil, err
	}
	if _, ok := f.Metadata[trainingPrefix+"step"]; !ok {
		return r, nil // between two stages
	}
	q := new(resumption)
	if q.state, err = readTraining(f); err != nil {
		return nil, err
	}
	layout, first, second := &m.Layout, firstMoment, secondMoment
	if r.stage != StageFit {
		layout, first, second = &m.LawLayout, lawFirstMoment, lawSecondMoment
	}
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
