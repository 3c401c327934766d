package experiment

import (
	"fmt"
	"strings"

	"macroscope/model/net/decoder"
	"macroscope/model/net/encoder"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Method is how the closure variables are found.
type Method struct {
	Name    string // in specifications
	Title   string // on the page
	Text    string // what it is, a sentence
	Encoder encoder.Kind
	Decoder decoder.Kind
	Own     bool // it is for no system but those with presets of its own
}

// Methods lists all methods. The list is not to be changed.
func Methods() []Method { return methods }

// methods are all methods. To add one: an encoder or a decoder in its package, a row
// here, and rows of presets for the systems that it is for.
var methods = []Method{
	{"flow", "deep set and flow", "A deep set, to which the order of particles means nothing, and a normalizing flow that draws their density from ẑ: the paper’s own.", encoder.DeepSet, decoder.Flow, false},
	{"flow-st", "Set Transformer and flow", "As deep set and flow, with an encoder in which the particles see each other through attention.", encoder.SetTransformer, decoder.Flow, false},
	{"flow-matching", "flow matching", "A deep set, and a flow whose velocity is learned along straight paths from noise to particles: a density as well, which the paper leaves open.", encoder.DeepSet, decoder.Matching, false},
	{"ae-aug", "AE-Aug", "An autoencoder of all coordinates in their order, trained on shuffled sets: the paper’s baseline.", encoder.Flat, decoder.Pointwise, false},
	{"ae-inve", "AE-InvE", "A deep set, and a decoder that restores every particle in the order given: the paper’s baseline of an invariant encoder.", encoder.DeepSet, decoder.Pointwise, false},
	{"ae-inve-cd", "AE-InvE-CD", "A deep set, and a decoder of points that are compared by the Chamfer distance, so that order means nothing to either: the paper’s baseline of point clouds.", encoder.DeepSet, decoder.Chamfer, false},
	{"inve", "InvE", "A deep set that is trained together with dynamics, to make the next moment predictable, and restores nothing: the paper’s baseline without a decoder.", encoder.DeepSet, decoder.None, false},
	{"cnn", "CNN", "An autoencoder of pictures by convolutions, compared pixel by pixel: the paper’s baseline for video.", encoder.CNN, decoder.Picture, true},
	{"vit", "ViT", "An autoencoder of pictures by attention among their patches, compared pixel by pixel: the paper’s baseline for video.", encoder.ViT, decoder.Picture, true},
	{"flow-memory", "deep set and flow with memory", "As deep set and flow, with dynamics that remember what has been: by how much what is predicted is ahead of its averages over the past frames.", encoder.DeepSet, decoder.Flow, true},
}

// FindMethod returns the method of a name.
func FindMethod(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Method{}, fmt.Errorf("there is no method %s; use %s", setting.Quote(name), strings.Join(names, " or "))
}

// Systems are the systems that a program knows.
type Systems []system.System

// Find returns the system of a name.
func (s Systems) Find(name string) (system.System, error) {
	var names []string
	for _, sys := range s {
		if sys.Traits().Name == name {
			return sys, nil
		}
		names = append(names, sys.Traits().Name)
	}
	return nil, fmt.Errorf("there is no system %s; use %s", setting.Quote(name), strings.Join(names, ", "))
}
