package lab

import (
	"fmt"
	"io"

	"macroscope/model/ckpt"
	"macroscope/model/kernel"
	"macroscope/model/tensor"
)

// orderedName is the paper's name of the baseline, as -experiment takes it.
const orderedName = "ae-aug"

// Prefixes of the decoder's tensors, which only a training in stage I has.
const (
	decoderPrefix       = "decoder.param."
	decoderFirstMoment  = "decoder.adam.m."
	decoderSecondMoment = "decoder.adam.v."
)

// fields lists the configuration as a checkpoint carries it.
func (c *OrderedConfig) fields() []field {
	fields := []field{
		{"particles", &c.Particles}, {"trajectories", &c.Trajectories}, {"rotate", &c.Rotate}, {"seed", &c.Seed},
		{"batch", &c.Batch}, {"shards", &c.Shards}, {"steps", &c.Steps}, {"rate", &c.Rate},
		{"hidden", &c.Hidden}, {"zdim", &c.ZDim},
	}
	return append(fields, c.Law.fields()...)
}

// Checkpoint returns what predictions need: encoder, law and scales.
func (m *OrderedModel) Checkpoint() *ckpt.File {
	encoder, _ := m.split(m.Params)
	f := &ckpt.File{
		Metadata: map[string]string{metaFormat: formatVersion, metaExperiment: orderedName},
		Tensors:  append(ckpt.FromArena(&m.Layout, encoder, paramPrefix), ckpt.FromArena(&m.law.LawLayout, m.law.LawParams, lawPrefix)...),
	}
	writeFields(f.Metadata, configPrefix, m.Config.fields())
	f.Tensors = append(f.Tensors, m.law.Scale.tensors()...)
	return f
}

// Checkpoint returns the model with all that the run needs to go on from here,
// which after stage I is no longer the decoder.
func (r *OrderedRun) Checkpoint() *ckpt.File {
	f := r.Model.Checkpoint()
	writeFields(f.Metadata, "", []field{{stageKey, &r.stage}})
	if r.stage == StageFit {
		_, decoder := r.Model.split(r.Model.Params)
		f.Tensors = append(f.Tensors, ckpt.FromArena(&r.Model.decoderLayout, decoder, decoderPrefix)...)
	}
	at := r.resume // as long as the stage's data are not there
	if r.trainer != nil {
		at = &resumption{
			training{r.trainer.Step(), r.trainer.CycleStart, r.trainer.Schedule()}, r.trainer.Adam.M, r.trainer.Adam.V,
		}
	}
	if at != nil {
		writeFields(f.Metadata, trainingPrefix, at.state.fields())
		for _, p := range r.moments(at.m, at.v) {
			f.Tensors = append(f.Tensors, ckpt.FromArena(p.layout, p.arena, p.prefix)...)
		}
	}
	return f
}

// arenaPart is an arena as a checkpoint carries it.
type arenaPart struct {
	layout *tensor.Layout
	arena  []float32
	prefix string
}

// moments lists the parts of Adam's moments in the present stage.
func (r *OrderedRun) moments(first, second []float32) []arenaPart {
	m := r.Model
	if r.stage != StageFit {
		return []arenaPart{{&m.law.LawLayout, first, lawFirstMoment}, {&m.law.LawLayout, second, lawSecondMoment}}
	}
	enc1, dec1 := m.split(first)
	enc2, dec2 := m.split(second)
	return []arenaPart{
		{&m.Layout, enc1, firstMoment}, {&m.decoderLayout, dec1, decoderFirstMoment},
		{&m.Layout, enc2, secondMoment}, {&m.decoderLayout, dec2, decoderSecondMoment},
	}
}

// ReadOrdered opens a checkpoint.
func ReadOrdered(r io.Reader) (*OrderedModel, error) {
	f, err := ckpt.Decode(r)
	if err != nil {
		return nil, err
	}
	return OrderedFromFile(f)
}

// OrderedFromFile returns the model that a checkpoint holds. Without stage I's
// training there is no decoder in it; the model has that of a fresh one.
func OrderedFromFile(f *ckpt.File) (*OrderedModel, error) {
	if err := checkExperiment(f, orderedName); err != nil {
		return nil, err
	}
	var c OrderedConfig
	if err := readFields(f.Metadata, configPrefix, c.fields()); err != nil {
		return nil, fmt.Errorf("the checkpoint's configuration cannot be read: %w", err)
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("the checkpoint's configuration cannot be used: %w", err)
	}
	m := NewOrderedModel(c)
	encoder, _ := m.split(m.Params)
	if err := f.ToArena(&m.Layout, encoder, paramPrefix); err != nil {
		return nil, err
	}
	if err := f.ToArena(&m.law.LawLayout, m.law.LawParams, lawPrefix); err != nil {
		return nil, err
	}
	if !m.finite() {
		return nil, fmt.Errorf("the checkpoint holds a weight that is not a finite number; use one from before the training diverged")
	}
	return m, m.law.Scale.read(f)
}

// ResumeOrdered returns a run that goes on from a checkpoint that holds one,
// with the data that it began with.
func ResumeOrdered(f *ckpt.File, src Source, workers int) (*OrderedRun, error) {
	m, err := OrderedFromFile(f)
	if err != nil {
		return nil, err
	}
	r := &OrderedRun{Model: m, src: src, workers: workers}
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
	if r.stage == StageFit {
		_, decoder := m.split(m.Params)
		if err := f.ToArena(&m.decoderLayout, decoder, decoderPrefix); err != nil {
			return nil, err
		}
		if !m.finite() {
			return nil, fmt.Errorf("the checkpoint's decoder holds a weight that is not a finite number; use one from before the training diverged")
		}
	}
	if _, ok := f.Metadata[trainingPrefix+"step"]; !ok {
		return r, nil // between two stages
	}
	q := new(resumption)
	if q.state, err = readTraining(f); err != nil {
		return nil, err
	}
	size := len(m.Params)
	if r.stage != StageFit {
		size = len(m.law.LawParams)
	}
	q.m, q.v = make([]float32, size), make([]float32, size)
	for _, p := range r.moments(q.m, q.v) {
		if err := f.ToArena(p.layout, p.arena, p.prefix); err != nil {
			return nil, err
		}
	}
	if !kernel.AllFinite(q.m) || !kernel.AllFinite(q.v) {
		return nil, fmt.Errorf("the checkpoint's training state holds a number that is not finite")
	}
	r.resume = q
	return r, nil
}
