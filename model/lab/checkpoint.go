package lab

import (
	"fmt"
	"io"

	"macroscope/model/ckpt"
	"macroscope/model/kernel"
	"macroscope/model/optim"
	"macroscope/model/train"
)

// A checkpoint's metadata says which experiment it belongs to, with the whole
// configuration; its tensors are the parameters under their own names and,
// where training is to go on, Adam's moments under two prefixes.
const (
	metaFormat     = "macroscope.version"
	metaExperiment = "macroscope.experiment"
	formatVersion  = "1"

	configPrefix   = "config."
	trainingPrefix = "training."

	paramPrefix  = "param."
	firstMoment  = "adam.m."
	secondMoment = "adam.v."
)

// fields lists the configuration as a checkpoint carries it.
func (c *DemoConfig) fields() []field {
	return []field{
		{"eps", &c.Eps}, {"particles", &c.Particles}, {"seed", &c.Seed}, {"batch", &c.Batch}, {"samples", &c.Samples},
		{"shards", &c.Shards}, {"steps", &c.Steps}, {"rate", &c.Rate},
		{"encoder.dim", &c.Encoder.Dim}, {"encoder.hidden", &c.Encoder.Hidden}, {"encoder.head", &c.Encoder.Head},
		{"encoder.zdim", &c.Encoder.ZDim}, {"encoder.act", &c.Encoder.Act},
		{"flow.dim", &c.Flow.Dim}, {"flow.zdim", &c.Flow.ZDim}, {"flow.layers", &c.Flow.Layers}, {"flow.bins", &c.Flow.Bins},
		{"flow.bound", &c.Flow.Bound}, {"flow.hidden", &c.Flow.Hidden}, {"flow.act", &c.Flow.Act},
		{"flow.condbase", &c.Flow.CondBase}, {"flow.basehidden", &c.Flow.BaseHidden}, {"flow.order", &c.Flow.Order}, {"flow.orderseed", &c.Flow.OrderSeed},
	}
}

// training is what a run needs beside parameters and moments.
type training struct {
	step, cycleStart int
	schedule         optim.OneCycle
}

func (t *training) fields() []field {
	return []field{
		{"step", &t.step}, {"cyclestart", &t.cycleStart}, {"peak", &t.schedule.Peak}, {"steps", &t.schedule.Steps},
		{"warm", &t.schedule.Warm}, {"startdiv", &t.schedule.StartDiv}, {"enddiv", &t.schedule.EndDiv},
	}
}

// Checkpoint returns the model as a checkpoint. With a trainer that holds the
// params it can be resumed from; t may be nil.
func (m *DemoModel) Checkpoint(params []float32, t *train.Trainer) *ckpt.File {
	f := &ckpt.File{
		Metadata: map[string]string{metaFormat: formatVersion, metaExperiment: "demo"},
		Tensors:  ckpt.FromArena(&m.Layout, params, paramPrefix),
	}
	writeFields(f.Metadata, configPrefix, m.Config.fields())
	if t != nil {
		state := training{t.Step(), t.CycleStart, t.Schedule()}
		writeFields(f.Metadata, trainingPrefix, state.fields())
		f.Tensors = append(f.Tensors, ckpt.FromArena(&m.Layout, t.Adam.M, firstMoment)...)
		f.Tensors = append(f.Tensors, ckpt.FromArena(&m.Layout, t.Adam.V, secondMoment)...)
	}
	return f
}

// ReadDemo opens a checkpoint: the model of its configuration and its
// parameters.
func ReadDemo(r io.Reader) (*DemoModel, []float32, *ckpt.File, error) {
	f, err := ckpt.Decode(r)
	if err != nil {
		return nil, nil, nil, err
	}
	m, params, err := DemoFromFile(f)
	return m, params, f, err
}

// checkExperiment says what is wrong with a checkpoint that is to be opened as
// one of the experiment.
func checkExperiment(f *ckpt.File, name string) error {
	if e := f.Metadata[metaExperiment]; e != name {
		if e == "" {
			return fmt.Errorf("the file is a safetensors file but not one of Macroscope's: its metadata names no experiment")
		}
		return fmt.Errorf("the checkpoint is of the experiment %s; open it there", quote(e))
	}
	if v := f.Metadata[metaFormat]; v != formatVersion {
		return fmt.Errorf("the checkpoint is of version %s and this program reads version %s; update the program", quote(v), formatVersion)
	}
	return nil
}

// Experiment returns the name of the experiment that a checkpoint belongs to.
func Experiment(f *ckpt.File) string { return f.Metadata[metaExperiment] }

// DemoFromFile returns the model and the parameters that a checkpoint holds.
func DemoFromFile(f *ckpt.File) (*DemoModel, []float32, error) {
	if err := checkExperiment(f, "demo"); err != nil {
		return nil, nil, err
	}
	var c DemoConfig
	if err := readFields(f.Metadata, configPrefix, c.fields()); err != nil {
		return nil, nil, fmt.Errorf("the checkpoint's configuration cannot be read: %w", err)
	}
	if err := c.Validate(); err != nil {
		return nil, nil, fmt.Errorf("the checkpoint's configuration cannot be used: %w", err)
	}
	m := NewDemoModel(c)
	params := make([]float32, m.Layout.Size())
	if err := f.ToArena(&m.Layout, params, paramPrefix); err != nil {
		return nil, nil, err
	}
	if !kernel.AllFinite(params) {
		return nil, nil, fmt.Errorf("the checkpoint holds a weight that is not a finite number; use one from before the training diverged")
	}
	return m, params, nil
}

// Resume returns a run that goes on from a checkpoint that holds one.
func (m *DemoModel) Resume(f *ckpt.File, params []float32, workers int) (*train.Trainer, error) {
	if _, ok := f.Metadata[trainingPrefix+"step"]; !ok {
		return nil, fmt.Errorf("the checkpoint holds weights alone, without the state of a training to resume")
	}
	state, err := readTraining(f)
	if err != nil {
		return nil, err
	}
	t := m.NewTrainer(params, workers)
	if err := f.ToArena(&m.Layout, t.Adam.M, firstMoment); err != nil {
		t.Close()
		return nil, err
	}
	if err := f.ToArena(&m.Layout, t.Adam.V, secondMoment); err != nil {
		t.Close()
		return nil, err
	}
	if !kernel.AllFinite(t.Adam.M) || !kernel.AllFinite(t.Adam.V) {
		t.Close()
		return nil, fmt.Errorf("the checkpoint's training state holds a number that is not finite")
	}
	t.Resume(state.step, state.cycleStart, state.schedule)
	return t, nil
}

// readTraining reads and checks what a run needs beside parameters and moments.
func readTraining(f *ckpt.File) (training, error) {
	var state training
	if err := readFields(f.Metadata, trainingPrefix, state.fields()); err != nil {
		return state, fmt.Errorf("the checkpoint's training state cannot be read: %w", err)
	}
	if state.step < 0 || state.step > maxStep || state.cycleStart < 0 || state.cycleStart > state.step {
		return state, fmt.Errorf("the checkpoint's training state says step %d of a schedule that began at %d", state.step, state.cycleStart)
	}
	if err := state.schedule.Validate(); err != nil {
		return state, fmt.Errorf("the checkpoint's schedule cannot be used: %w", err)
	}
	return state, nil
}
