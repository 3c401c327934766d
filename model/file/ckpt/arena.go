package ckpt

import (
	"fmt"
	"slices"
	"strings"

	"macroscope/model/compute/tensor"
)

// FromArena returns a tensor for each parameter of an arena. The name of a tensor is prefix
// followed by the parameter's name. The tensors share the arena's memory. FromArena panics if
// the arena does not have the layout's size.
//
// One file can hold several arenas of a layout, such as weights and moments, under different
// prefixes. No prefix may be the beginning of another.
func FromArena(layout *tensor.Layout, arena []float32, prefix string) []Tensor {
	checkSize(layout, arena)
	params := layout.Params()
	ts := make([]Tensor, len(params))
	for i, p := range params {
		ts[i] = Tensor{Name: prefix + p.Name, Shape: slices.Clone(p.Shape), F32: tensor.Of(arena, p)}
	}
	return ts
}

// ToArena copies the tensors with names that start with prefix into an arena. The file must
// have a float32 tensor of the right shape for every parameter of the layout, and no other
// tensors with this prefix. Otherwise the arena stays unchanged, and the error names the tensor
// with the expected and the actual shape. ToArena panics if the arena does not have the
// layout's size.
func (f *File) ToArena(layout *tensor.Layout, arena []float32, prefix string) error {
	checkSize(layout, arena)
	found := make(map[string]*Tensor)
	for i := range f.Tensors {
		if name, ok := strings.CutPrefix(f.Tensors[i].Name, prefix); ok {
			found[name] = &f.Tensors[i]
		}
	}
	params := layout.Params()
	of := make([]*Tensor, len(params))
	for i, p := range params {
		t := found[p.Name]
		if t == nil {
			return fmt.Errorf("safetensors: tensor %.60q, of shape %v in this model, is missing; choose a checkpoint of the same model", prefix+p.Name, p.Shape)
		}
		if !slices.Equal(t.Shape, p.Shape) {
			return fmt.Errorf("safetensors: tensor %.60q has shape %v, and this model needs %v; choose a checkpoint of the same model", t.Name, t.Shape, p.Shape)
		}
		if len(t.F32) != p.Len() {
			dtype, _, _ := t.dtype()
			return fmt.Errorf("safetensors: tensor %.60q is of type %s, and this model needs F32; convert it to float32", t.Name, dtype)
		}
		of[i] = t
		delete(found, p.Name)
	}
	for _, t := range f.Tensors {
		if name, ok := strings.CutPrefix(t.Name, prefix); ok && found[name] != nil {
			return fmt.Errorf("safetensors: tensor %.60q of shape %v is not a part of this model; choose a checkpoint of the same model", t.Name, t.Shape)
		}
	}
	for i, p := range params {
		copy(tensor.Of(arena, p), of[i].F32)
	}
	return nil
}

func checkSize(layout *tensor.Layout, arena []float32) {
	if len(arena) != layout.Size() {
		panic(fmt.Sprintf("ckpt: arena of %d elements for a layout of %d", len(arena), layout.Size()))
	}
}
