package dynamics

import "macroscope/model/compute/kernel"

// Default returns the drift of the paper's interacting particles, of the energy
// and eight closure variables: an MLP 64-64 with ReLU.
func Default() Config {
	return Config{
		Dim: 9, Form: FormMLP, Hidden: []int{64, 64}, Act: kernel.ReLU,
		Onsager: DefaultOnsager(), ResNet: DefaultResNet(), Box: DefaultBox(),
	}
}

// DefaultBox returns a box around variables scaled to [-1, 1], for the paper's
// frames 0.002 apart: what is outside comes back by a tenth a step.
func DefaultBox() Box { return Box{Half: 1.25, Pull: 50} }
