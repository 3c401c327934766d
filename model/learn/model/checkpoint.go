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
// training can continue also contains the state of the optimiser (see Weights.Moments and Rotations).
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
	if m.Provenance() != nil {
		m.described.write(f, &m.Config)
	}
	m.Data.write(f)
	return f
}

// file is Checkpoint without the provenance.
func (m *Model) file() *ckpt.File {
	f := &ckpt.File{Metadata: map[string]string{MetaFormat: FormatVersion, MetaExperiment: m.Config.Spec.Name()}}
	for _, a := range m.Weights.arenas() {
		f.Tensors = append(f.Tensors, ckpt.FromArena(a.Layout, a.Values, a.Prefix)...)
	}
	m.Config.Write(f.Metadata, configPrefix)
	if m.Config.HasDynamics() {
		f.Tensors = slices.Concat(f.Tensors, m.Scale.tensors(), m.Calibration.tensors())
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

// Arena is a part of a checkpoint. Values are stored as the tensors of Layout, and Prefix is
// put before each tensor's name.
type Arena struct {
	Layout *tensor.Layout
	Values []float32
	Prefix string
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
	m.Weights.Decodes = c.Decoder.Density() || slices.ContainsFunc(f.Tensors, func(t ckpt.Tensor) bool { return strings.HasPrefix(t.Name, restoringPrefix) })
	if err := m.Weights.checkRoom(f); err != nil {
		return nil, err
	}
	m.Weights.draw(&m.Config)
	if err := ReadArenas(f, m.Weights.arenas()); err != nil {
		return nil, err
	}
	if !m.Weights.Finite() {
		return nil, fmt.Errorf("the checkpoint holds a weight that is not a finite number; use one from before the training diverged")
	}
	m.Data = readDigest(f)
	if c.HasDynamics() {
		if err := m.Scale.read(f); err != nil {
			return nil, err
		}
		if err := m.Calibration.read(f, &m.Config); err != nil {
			return nil, err
		}
	}
	if err := m.readProvenance(f); err != nil {
		return nil, err
	}
	return m, nil
}
