package model

import (
	"fmt"
	"slices"
	"strings"

	"macroscope/model/compute/optim"
	"macroscope/model/compute/tensor"
	"macroscope/model/file/ckpt"
	"macroscope/model/learn/method"
	"macroscope/model/setting"
)

// The metadata of a checkpoint contain the name of the experiment and the complete configuration.
// The tensors are the scales, and the parameters with the prefixes below. A checkpoint from which
// training can continue also contains the state of the optimiser (see Moments and Rotations).
const (
	MetaFormat     = "macroscope.version"
	MetaExperiment = "macroscope.experiment"
	FormatVersion  = "1"

	configPrefix = "config."
)

// Prefixes of tensor names: paramPrefix for the encoder and for a density decoder,
// restoringPrefix for any other decoder, dynamicsPrefix for the dynamics.
const (
	paramPrefix     = "param."
	restoringPrefix = "decoder.param."
	dynamicsPrefix  = "law.param."
)

// SpecOf returns the system and method of a checkpoint. It returns an error if the checkpoint
// names no experiment or has another format version.
func SpecOf(f *ckpt.File) (method.Spec, error) {
	name := f.Metadata[MetaExperiment]
	if name == "" {
		return method.Spec{}, fmt.Errorf("the file is a safetensors file but not one of Macroscope's: its metadata names no experiment")
	}
	if v := f.Metadata[MetaFormat]; v != FormatVersion {
		return method.Spec{}, fmt.Errorf("the checkpoint is of version %s and this program reads version %s; update the program", setting.Quote(v), FormatVersion)
	}
	return method.NamedSpec(name), nil
}

// HasStageTwo reports whether a checkpoint's experiment has dynamics.
func HasStageTwo(f *ckpt.File) bool {
	_, ok := f.Metadata[configPrefix+"law.dt"]
	return ok
}

// Checkpoint returns the parts of the model that predictions need, without the state of a
// training, the model's provenance, and the digest of the data that trained it.
func (m *Model) Checkpoint() *ckpt.File {
	f := m.file()
	m.writeProvenance(f)
	m.writeData(f)
	return f
}

// file is Checkpoint without the provenance.
func (m *Model) file() *ckpt.File {
	f := &ckpt.File{Metadata: map[string]string{MetaFormat: FormatVersion, MetaExperiment: m.Config.Spec.Name()}}
	enc, dec := m.Split(m.Params)
	f.Tensors = ckpt.FromArena(&m.net.EncoderLayout, enc, paramPrefix)
	if m.Decodes {
		f.Tensors = append(f.Tensors, ckpt.FromArena(&m.net.DecoderLayout, dec, m.decoderPrefix())...)
	}
	m.Config.Write(f.Metadata, configPrefix)
	if m.Config.HasDynamics() {
		f.Tensors = append(f.Tensors, ckpt.FromArena(&m.net.DynamicsLayout, m.DynamicsParams, dynamicsPrefix)...)
		f.Tensors = slices.Concat(f.Tensors, m.Scale.tensors(), m.stretchTensors(), m.supportTensors())
	}
	return f
}

// Halve marks weights of a checkpoint to be written with 16 bits (see ckpt.File.Halve). The weights of
// the encoder and the decoder are always marked, the weights of the dynamics only if `dynamics` is set.
func Halve(f *ckpt.File, dynamics bool) {
	f.Halve()
	for i := range f.Tensors {
		if t := &f.Tensors[i]; !dynamics && strings.HasPrefix(t.Name, dynamicsPrefix) {
			t.Half = false
		}
	}
}

// decoderPrefix returns the prefix of the names of the decoder's tensors.
func (m *Model) decoderPrefix() string {
	if m.Config.Decoder.Density() {
		return paramPrefix
	}
	return restoringPrefix
}

// Arena is a part of a checkpoint. Values are stored as the tensors of Layout, and Prefix is
// put before each tensor's name.
type Arena struct {
	Layout *tensor.Layout
	Values []float32
	Prefix string
}

// Moments returns Adam's first and second moments as parts of a checkpoint. stageOne selects
// the layout and the prefixes of stage I or of stage II.
func (m *Model) Moments(stageOne bool, first, second []float32) []Arena {
	if !stageOne {
		return []Arena{{&m.net.DynamicsLayout, first, "law.adam.m."}, {&m.net.DynamicsLayout, second, "law.adam.v."}}
	}
	decoderM, decoderV := "adam.m.", "adam.v."
	if !m.Config.Decoder.Density() {
		decoderM, decoderV = "decoder.adam.m.", "decoder.adam.v."
	}
	enc1, dec1 := m.Split(first)
	enc2, dec2 := m.Split(second)
	return []Arena{
		{&m.net.EncoderLayout, enc1, "adam.m."}, {&m.net.DecoderLayout, dec1, decoderM},
		{&m.net.EncoderLayout, enc2, "adam.v."}, {&m.net.DecoderLayout, dec2, decoderV},
	}
}

// Dynamics returns values with the layout of DynamicsParams as a part of a checkpoint.
func (m *Model) Dynamics(values []float32, prefix string) Arena {
	return Arena{&m.net.DynamicsLayout, values, prefix}
}

// Rotations returns SOAP's rotations of the matrices as a part of a checkpoint.
func Rotations(stageOne bool, matrices []tensor.Param, values []float32) Arena {
	prefix := "adam.rotation."
	if !stageOne {
		prefix = "law." + prefix
	}
	return Arena{optim.RotationLayout(matrices), values, prefix}
}

// ReadArenas copies the arenas from a checkpoint. It reads all arenas with the same prefix
// together, so it detects tensors that belong to no arena.
func ReadArenas(f *ckpt.File, arenas []Arena) error {
	for i, a := range arenas {
		if slices.ContainsFunc(arenas[:i], func(b Arena) bool { return b.Prefix == a.Prefix }) {
			continue
		}
		var layout tensor.Layout
		var parts []Arena
		for _, b := range arenas[i:] {
			if b.Prefix == a.Prefix {
				for _, p := range b.Layout.Params() {
					layout.Add(p.Name, p.Shape...)
				}
				parts = append(parts, b)
			}
		}
		all := make([]float32, layout.Size())
		if err := f.ToArena(&layout, all, a.Prefix); err != nil {
			return err
		}
		for _, b := range parts {
			all = all[copy(b.Values, all):]
		}
	}
	return nil
}

// Open builds the model that a checkpoint describes and reads its weights.
func Open(systems method.Systems, f *ckpt.File) (*Model, error) {
	if _, err := SpecOf(f); err != nil {
		return nil, err
	}
	c, sys, err := systems.Read(f.Metadata[MetaExperiment], f.Metadata, configPrefix)
	if err != nil {
		return nil, err
	}
	m := outline(c, sys)
	// Older files contain the decoder's weights only if the decoder is a density.
	m.Decodes = c.Decoder.Density() || slices.ContainsFunc(f.Tensors, func(t ckpt.Tensor) bool { return strings.HasPrefix(t.Name, restoringPrefix) })
	if err := m.checkRoom(f); err != nil {
		return nil, err
	}
	m.draw()
	enc, dec := m.Split(m.Params)
	arenas := []Arena{{&m.net.EncoderLayout, enc, paramPrefix}}
	if m.Decodes {
		arenas = append(arenas, Arena{&m.net.DecoderLayout, dec, m.decoderPrefix()})
	}
	arenas = append(arenas, Arena{&m.net.DynamicsLayout, m.DynamicsParams, dynamicsPrefix})
	if err := ReadArenas(f, arenas); err != nil {
		return nil, err
	}
	if !m.Finite() {
		return nil, fmt.Errorf("the checkpoint holds a weight that is not a finite number; use one from before the training diverged")
	}
	m.readData(f)
	parts := []func(*ckpt.File) error{m.readProvenance}
	if c.HasDynamics() {
		parts = []func(*ckpt.File) error{m.Scale.read, m.readStretch, m.readSupport, m.readProvenance}
	}
	for _, read := range parts {
		if err := read(f); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// checkRoom rejects a model that is much larger than its file, because the file cannot contain
// the model's weights. It does so before any memory is allocated for the model.
func (m *Model) checkRoom(f *ckpt.File) error {
	const spare = 1 << 14
	held := 0
	for _, t := range f.Tensors {
		held += len(t.F32) + len(t.F64)
	}
	enc, dec, dynamics := m.WeightCounts()
	if !m.Decodes {
		dec = 0
	}
	if need := enc + dec + dynamics; need > held+spare {
		return fmt.Errorf("the checkpoint's configuration is that of a model of %d weights, and the file holds %d numbers; choose one that was saved whole", need, held)
	}
	return nil
}
