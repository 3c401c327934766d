package experiment

import (
	"macroscope/model/compute/kernel"
	"macroscope/model/net/attention"
	"macroscope/model/net/decoder"
	"macroscope/model/net/decoder/flow"
	"macroscope/model/net/decoder/matching"
	"macroscope/model/net/encoder"
	"macroscope/model/net/encoder/deepset"
	"macroscope/model/net/image"
)

var methods = []Method{flowMethod, flowST, flowMatching, aeAugMethod, aeInvE, aeInvECD, inve, cnn, vit, flowMemory, flowTunable}

var flowMethod = Method{
	Name: "flow", Title: "deep set and flow",
	Text:    "A deep set, to which the order of particles means nothing, and a normalizing flow that draws their density from ẑ: the paper’s own.",
	Encoder: deepSet, Decoder: flows,
	Systems: map[string]ByPreset{
		"line": linePresets, "particles": wider(particlesPresets, particlesWide), "mixing": mixingPresets, "polymer": beadPresets, "polymer-video": polymerPresets,
	},
}

var flowTunable = Method{
	Name: Tunable, Title: "deep set and flow, for every ε and ẑ dim",
	Text:    "A deep set that gives a ẑ of each of several lengths, and one normalizing flow that is told ε and the length: one training serves every ε of a range.",
	Encoder: tunableDeepSet, Decoder: tunableFlow,
	Systems: map[string]ByPreset{
		"line": tunableLine, "particles": tunableParticles, "mixing": tunableMixing, "polymer": tunablePolymer,
	},
}

var flowST = Method{
	Name: "flow-st", Title: "Set Transformer and flow",
	Text:    "As deep set and flow, with an encoder in which the particles see each other through attention.",
	Encoder: setTransformer, Decoder: flows,
	Systems: map[string]ByPreset{
		"line": {
			Browser: linePresets[Laptop].With(gentle, smallAttention),
			Laptop:  linePresets[Laptop].With(gentle),
			Paper:   linePresets[Paper].With(gentle),
		},
		"particles": particlesPresets.With(gentle), "mixing": mixingPresets.With(gentle),
	},
}

var flowMatching = Method{
	Name: "flow-matching", Title: "flow matching",
	Text:    "A deep set, and a flow whose velocity is learned along straight paths from noise to particles: a density as well, which the paper leaves open.",
	Encoder: deepSet, Decoder: velocity,
	Systems: map[string]ByPreset{"line": linePresets, "particles": particlesPresets, "mixing": mixingPresets},
}

var aeAugMethod = Method{
	Name: "ae-aug", Title: "AE-Aug",
	Text:    "An autoencoder of all coordinates in their order, trained on shuffled sets: the paper’s baseline.",
	Encoder: flat, Decoder: func(Size) decoder.Kind { return &decoder.Pointwise{} },
	Systems: map[string]ByPreset{
		"line": {
			Browser: linePresets[Laptop].With(aeAug, steps(2000)),
			Laptop:  linePresets[Laptop].With(aeAug),
		},
		"particles": particlesPresets.With(aeAug, particlesAEAug).Also(Quick, particlesAEAugQuick).
			Also(Browser, steps(2000), particlesAdam(15_000, 1500)).Also(Laptop, particlesAEAugLaptop).Also(Paper, aeAugPaper),
		"mixing":  mixingPresets.With(aeAug).Also(Browser, steps(2000), strided).Also(Laptop, strided).Also(Paper, aeAugPaper),
		"polymer": published(polymerPresets.Also(Laptop, framewise)).With(aeAug, byAdam).Also(Browser, steps(2000)).Also(Quick, steps(2000/2)),
	},
}

var aeInvE = Method{
	Name: "ae-inve", Title: "AE-InvE",
	Text:    "A deep set, and a decoder that restores every particle in the order given: the paper’s baseline of an invariant encoder.",
	Encoder: restoredDeepSet, Decoder: func(s Size) decoder.Kind { return &decoder.Pointwise{Hidden: restoring(s)} },
	Systems: map[string]ByPreset{"particles": particlesPresets, "mixing": mixingPresets},
}

var aeInvECD = Method{
	Name: "ae-inve-cd", Title: "AE-InvE-CD",
	Text:    "A deep set, and a decoder of points that are compared by the Chamfer distance, so that order means nothing to either: the paper’s baseline of point clouds.",
	Encoder: restoredDeepSet, Decoder: func(s Size) decoder.Kind { return &decoder.Pointwise{Hidden: restoring(s), Nearest: true} },
	Systems: map[string]ByPreset{
		"particles": particlesPresets, "mixing": mixingPresets.Also(Browser, stretched(0.75)).Also(Laptop, stretched(0.75)),
		"polymer": beadPresets, "polymer-video": polymerPresets,
	},
}

var inve = Method{
	Name: "inve", Title: "InvE",
	Text:    "A deep set that is trained together with dynamics, to make the next moment predictable, and restores nothing: the paper’s baseline without a decoder.",
	Encoder: deepSet, Decoder: func(Size) decoder.Kind { return &decoder.None{} },
	Systems: map[string]ByPreset{
		"particles": particlesPresets.With(predicted).Also(Paper, predictedPaper), "mixing": mixingPresets.With(predicted).Also(Paper, predictedPaper),
	},
}

var cnn = Method{
	Name: "cnn", Title: "CNN",
	Text:    "An autoencoder of pictures by convolutions, compared pixel by pixel: the paper’s baseline for video.",
	Encoder: convolutions, Decoder: func(Size) decoder.Kind { return &decoder.Picture{} },
	Systems: map[string]ByPreset{"polymer": picturePresets, "polymer-video": picturePresets},
}

var vit = Method{
	Name: "vit", Title: "ViT",
	Text:    "An autoencoder of pictures by attention among their patches, compared pixel by pixel: the paper’s baseline for video.",
	Encoder: patches, Decoder: func(Size) decoder.Kind { return &decoder.Picture{} },
	Systems: map[string]ByPreset{"polymer": picturePresets, "polymer-video": picturePresets},
}

var flowMemory = Method{
	Name: "flow-memory", Title: "deep set and flow with memory",
	Text:    "As deep set and flow, with dynamics that remember what has been: by how much what is predicted is ahead of its averages over the past frames.",
	Encoder: deepSet, Decoder: flows,
	Systems: map[string]ByPreset{"polymer-video": {
		Quick:   polymerPresets[Quick].With(remembering),
		Browser: polymerPresets[Browser].With(remembering),
		Laptop:  polymerPresets[Laptop].With(remembering),
	}},
}

// deepSet returns a DeepSet. For points on a line it uses SiLU, with more than ten times the
// paper's learning rate. After the same number of steps, SiLU has half the KL of the paper's ReLU.
func deepSet(s Size) encoder.Kind {
	wide := deepset.Config{Hidden: []int{128, 128}, Head: []int{128}, Act: kernel.SiLU}
	narrow := deepset.Config{Hidden: []int{64, 64}, Head: []int{64}, Act: kernel.SiLU}
	switch s {
	case Line, Small:
		return &encoder.DeepSet{Config: narrow}
	case LinePublished:
		narrow.Act = kernel.ReLU
		return &encoder.DeepSet{Config: narrow}
	case Published:
		wide.Act = kernel.Softplus
	}
	return &encoder.DeepSet{Config: wide}
}

// restoredDeepSet returns a DeepSet for a decoder of points. With this decoder, the published
// networks are wider than with the other decoders.
func restoredDeepSet(s Size) encoder.Kind {
	if s != Published {
		return deepSet(s)
	}
	return &encoder.DeepSet{Config: deepset.Config{Hidden: restoring(s), Head: restoring(s), Act: kernel.Softplus}}
}

// restoring returns the widths of the hidden layers of a decoder of points.
func restoring(s Size) []int {
	if s == Published {
		return []int{256, 256, 256}
	}
	return []int{128, 128}
}

// setTransformer returns the published Set Transformer, or a smaller one.
func setTransformer(s Size) encoder.Kind {
	k := &encoder.SetTransformer{Config: attention.Default()}
	if s == Small {
		k.Width, k.Heads, k.Hidden = 32, 2, 64
	}
	return k
}

// smallAttention selects a Set Transformer that can be trained in minutes in a tab.
func smallAttention(c *Config) { c.Encoder = setTransformer(Small) }

func flat(s Size) encoder.Kind {
	if s == Published {
		return &encoder.Flat{Hidden: restoring(s)}
	}
	return &encoder.Flat{Hidden: []int{96, 96, 96}}
}

func flows(s Size) decoder.Kind {
	c := flow.Config{Layers: 4, Bins: 16, Bound: 5, Hidden: []int{64, 64}, Act: kernel.SiLU, Order: flow.Alternate}
	switch s {
	case Line:
		c = flow.Default()
		c.Act = kernel.SiLU
	case LinePublished:
		c = flow.Default()
	case Small:
		c.Layers, c.Hidden = 3, []int{48, 48}
	case Published:
		c.Layers, c.Hidden, c.Blocks, c.Act, c.Order = 8, []int{128}, 2, kernel.ReLU, flow.Random
	}
	return &decoder.Flow{Config: c}
}

// tunableDeepSet returns a DeepSet that computes a ẑ of every length from 1 to 8.
func tunableDeepSet(s Size) encoder.Kind {
	return &encoder.Tunable{Config: deepSet(s).(*encoder.DeepSet).Config, Lengths: []int{1, 2, 3, 4, 5, 6, 7, 8}, Usual: 8}
}

// tunableFlow returns a normalizing flow with ε and the length of ẑ as inputs.
func tunableFlow(s Size) decoder.Kind {
	return &decoder.Tunable{Config: flows(s).(*decoder.Flow).Config, Low: 0.01, High: 0.5, Pairs: 4, Features: 3, Gate: 1, Own: true, EpsPower: 0.25}
}

// velocity returns a flow-matching decoder.
func velocity(s Size) decoder.Kind {
	c := matching.Config{Hidden: []int{64, 64}, Act: kernel.SiLU, Steps: 20}
	if s == Medium || s == Published {
		c.Hidden = []int{128, 128}
	}
	return &decoder.Matching{Config: c}
}

// convolutions returns a CNN. The paper does not say which network it used.
func convolutions(s Size) encoder.Kind {
	widths := []int{16, 32, 64}
	switch s {
	case Small:
		widths = []int{8, 16, 32}
	case Published:
		widths = []int{16, 32, 64, 64}
	}
	return &encoder.Picture{Image: image.Config{Kind: image.CNN, Widths: widths}}
}

// patches returns a ViT. The paper does not say which network it used.
func patches(s Size) encoder.Kind {
	c := image.Config{Kind: image.ViT, Patch: 5, Width: 64, Heads: 4, Hidden: 128, Blocks: 3, Restoring: 2}
	switch s {
	case Small:
		c = image.Config{Kind: image.ViT, Patch: 4, Width: 32, Heads: 2, Hidden: 64, Blocks: 2, Restoring: 2}
	case Published:
		c = image.Config{Kind: image.ViT, Patch: 20, Width: 128, Heads: 4, Hidden: 256, Blocks: 4, Restoring: 4}
	}
	return &encoder.Picture{Image: c}
}
