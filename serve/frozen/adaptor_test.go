package frozen

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/learn/train"
	sysmod "macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
	"macroscope/serve/reproduce"
)

// open returns a session of a lab. The session reads the system clock, which testing/synctest
// replaces by a fake clock.
func open(t testing.TB, name string) wire.Session {
	t.Helper()
	s := catalogue.All().Open(name)
	if s == nil {
		t.Fatalf("there is no lab %q", name)
	}
	if c, ok := s.(interface{ Close() }); ok {
		t.Cleanup(c.Close)
	}
	return s
}

// helper returns a helper that does jobs of a lab's sessions.
func helper(t *testing.T, name string) wire.Helper {
	t.Helper()
	return catalogue.All().Helper(name)
}

var systems = catalogue.Systems()

func reread(f *ckpt.File) (*ckpt.File, error) {
	m, err := model.Open(systems, f)
	if err != nil {
		return nil, err
	}
	g := m.Checkpoint()
	if m.Config.Spec.Name() == "" {
		return nil, fmt.Errorf("no name")
	}
	return g, nil
}

// stages is a training, which consists of several stages. Next begins the next stage.
type stages interface {
	Prepare(pause work.Pause) error
	Train(pause work.Pause, stepped func() error) error
	Trainer() *train.Trainer
	Next()
	Checkpoint() *ckpt.File
	Close()
}

// beginning returns the checkpoint of a training that has not begun.
func beginning(t *testing.T, spec string) *ckpt.File {
	t.Helper()
	c, err := systems.Preset(spec)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := systems.Find(c.Spec.System)
	if err != nil {
		t.Fatal(err)
	}
	run, err := fit.New(c, sys, fit.Source(&c, sys), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	return run.Checkpoint()
}

// systemNames lists the systems.
func systemNames() (names []string) {
	for _, sys := range systems {
		names = append(names, sys.Traits.Name)
	}
	return names
}

// presetsOf lists the presets of all methods for a system, as system/method@preset.
func presetsOf(system string) (specs []string) {
	for _, m := range method.MethodsFor(system) {
		for _, preset := range method.Presets(system, m.Name) {
			specs = append(specs, method.Spec{System: system, Method: m.Name, Preset: preset}.String())
		}
	}
	return specs
}

// systemRows returns what trainings take from a system.
func systemRows(t *testing.T, name string) (rows []string) {
	t.Helper()
	sys, err := systems.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	of := sys.Traits
	add := func(format string, values ...any) { rows = append(rows, fmt.Sprintf(format, values...)) }
	add("dim=%d sets=%q most points=%d scaling=%v turns=%t mirrors=%d", of.Dim, of.Sets, of.MaxParticles, of.Scaling, of.Vectors != nil, of.Mirrors)
	add("dt=%v stochastic=%t ranged=%t film=%v variables=%q", of.Dt, of.Stochastic, of.Ranged, of.Film, sys.Variables(""))
	add("streams=%q", of.Streams)
	for _, p := range of.Parameters {
		add("parameter %v", p)
	}
	if of.Dt > 0 {
		const most = 1001 // no system simulates more frames
		kept := (&method.Data{Thin: 1}).Frames(sys, most)
		add("stage I uses %d of %d frames %s", len(kept), most, short([]byte(fmt.Sprint(kept))))
	}
	return rows
}

// presetRows returns the settings of a preset by the names of -set, and rows on what has no such
// name: other settings, the sizes of the networks and the memory, and a hash of the initial weights,
// which large networks lack.
func presetRows(t *testing.T, spec string) (settings map[string]string, rest []string) {
	t.Helper()
	c, err := systems.Preset(spec)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := systems.Find(c.Spec.System)
	if err != nil {
		t.Fatal(err)
	}
	settings = make(map[string]string)
	c.Table().Write(settings, "")
	d := &c.Dynamics
	add := func(format string, values ...any) { rest = append(rest, fmt.Sprintf(format, values...)) }
	add("warmup=%v stratified=%t samples=%d eps=%v seed=%d variables=%d dim=%d sets=%d zdim=%d observable=%q force=%q optimiser=%v",
		c.WarmUp, c.Decoder.Stratified, c.Decoder.Samples, c.Eps(), c.Seed, c.Variables, c.Dim(), c.Sets(), c.ZDim(), c.Data.Observable, c.Force, c.StageOneConfig(1))
	if c.HasDynamics() {
		add("trajectories=%d warm=%d every=%d thin=%d turn=%t wide=%t views=%d stretch=%v unseen=%d",
			c.Data.Trajectories, c.Data.Initial, c.Data.Every, c.Data.Thin, c.Data.Turn, c.Data.Wide, c.Data.Views, c.Data.Stretch, c.Data.Unseen)
		add("joint=%t share=%t params=%v memory=%v narrowest=%v begin=%d dt=%v images=%d trajectories=%d", d.Joint, d.Share, d.Params, d.Memory, d.Narrowest, d.Begin, d.Dt, d.Images, d.Trajectories)
		add("drift={%s %s noise=%v", c.Table().Find("law.dim").Text(), fmt.Sprint(d.Drift)[1:], d.Noise)
		for i, t := range []method.DynamicsTraining{d.Velocity, d.Rollout} {
			add("%s=%v optimiser=%v", [...]string{"fit", "roll"}[i], t, t.TrainConfig(1, c.Motion()))
		}
	}
	if c.Decoder.Step.On() {
		s := c.Decoder.Step
		add("step={%v %v %v %d %d {%d %s}", s.Weight, s.Macro, s.Spread, c.Variables, c.Sets(), c.Moving(), fmt.Sprint(s.Drift)[1:])
	}
	enc, dec, dynamics := c.Networks().WeightCounts()
	worker, shared := c.Room()
	weights := "not drawn"
	if enc+dec+dynamics < 300_000 {
		m := model.New(c, sys)
		var b bytes.Buffer
		for _, arena := range [][]float32{m.Weights.Params, m.Weights.DynamicsParams} {
			if err := binary.Write(&b, binary.LittleEndian, arena); err != nil {
				t.Fatal(err)
			}
		}
		weights = short(b.Bytes())
	}
	add("weights %d %d %d: %s; memory %d %d", enc, dec, dynamics, weights, worker, shared)
	return settings, rest
}

// sizes lists the sizes of the command reproduce.
func sizes() (names []string) {
	for _, s := range reproduce.Sizes() {
		names = append(names, s.Preset)
	}
	return names
}

// tasks lists the tasks of a size of the command reproduce, with their keys. The keys do not depend
// on the number of workers.
func tasks(t *testing.T, size string) (rows []string) {
	t.Helper()
	for _, s := range reproduce.Sizes() {
		if s.Preset != size {
			continue
		}
		common := []string{"-workers", "1"}
		tables, err := reproduce.Tables(systems, s, common...)
		if err != nil {
			t.Fatal(err)
		}
		g, err := reproduce.NewGraph(reproduce.Tasks(tables, append([]string{"-preset", s.Preset, "-seeds", fmt.Sprint(s.Seeds)}, common...)))
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range g.Tasks {
			rows = append(rows, g.Key(task)+" "+task.Name)
		}
	}
	return rows
}

// chains writes trajectories of chains in space that unfold, as a file of trajectories of the
// systems polymer and polymer-video. They are no physics, because simulated chains take long on
// the plain kernels.
func chains(t *testing.T, path string, frames, beads int) {
	t.Helper()
	const runs = 2
	points, macro := make([]float32, 0, runs*frames*beads*3), make([]float32, 0, runs*frames)
	for run := range runs {
		for k := range frames {
			spacing := 0.1 + 0.8/(1+math.Exp(3+2.5*float64(run)-10*float64(k)/float64(frames)))
			for i := range beads {
				x, phase := spacing*(float64(i)-float64(beads-1)/2), float64(i)/3+float64(k)/40
				points = append(points, float32(x), float32((1-spacing)*math.Sin(phase)), float32((1-spacing)*math.Cos(phase)))
			}
			macro = append(macro, float32(spacing*float64(beads-1)))
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	arrays := map[string]*data.Array{
		"trajectories": data.NewArray([]int{runs, frames, beads, 3}, points),
		"macro":        data.NewArray([]int{runs, frames, 1}, macro),
	}
	if err := data.WriteNPZ(f, arrays); err != nil {
		t.Fatal(err)
	}
}

// kernelForm returns the form of the kernels in use.
func kernelForm() string { return kernel.Name() }

// shortTraining opens a training of a preset on recorded trajectories, with few steps and small
// batches in each part. Apart from this and an early Begin, the training has all settings of the
// preset. A system of single sets draws small sets and reads no file. The function `done` reports whether the training has ended.
func shortTraining(t *testing.T, spec, file string, steps int) (run stages, done func() bool) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatalf("%s: %v", spec, err)
		}
	}
	const particles, batch, shards, samples = 24, 4, 2, 4
	c, err := systems.Preset(spec)
	check(err)
	sys, err := systems.Find(c.Spec.System)
	check(err)
	var src sysmod.Source
	if c.HasDynamics() {
		b, err := os.ReadFile(file)
		check(err)
		recorded, err := sys.Open(sysmod.File{Name: file, Bytes: bytes.NewReader(b), Size: int64(len(b))}, c.Data.Observable)
		check(err)
		preset := c
		c = c.ForData(recorded, len(sys.Variables(c.Data.Observable)))
		c.Data.Turn, c.Data.Views, c.Data.Recorded, c.Data.Wide, src = preset.Data.Turn, preset.Data.Views, false, preset.Data.Wide, recorded
		// These trainings are on all trajectories.
		c.Data.KeptOut, c.Dynamics.Trajectories = method.KeptOut{}, recorded.Shape().Trajectories
		d := &c.Dynamics
		d.Begin = min(d.Begin, 4)
		c.Data.Trajectories = d.Trajectories
		for _, part := range []*method.DynamicsTraining{&d.Velocity, &d.Rollout} {
			part.Batch, part.Shards, part.Steps = batch, shards, min(part.Steps, steps)
		}
	}
	if src == nil {
		c.Particles = particles
	}
	c.Batch, c.Shards, c.Steps, c.Decoder.Samples = batch, shards, steps, samples
	r, err := fit.New(c, sys, src, 2)
	check(err)
	return r, func() bool { return r.Stage() == fit.Done }
}
