package dynamics

import "macroscope/model/compute/kernel"

// Default returns the paper's drift for interacting particles. It is for nine variables, the energy
// and eight closure variables. It is an MLP 64-64 with ReLU.
func Default() DriftConfig {
	return DriftConfig{
		Form: FormMLP, Hidden: []int{64, 64}, Act: kernel.ReLU,
		Onsager: DefaultOnsager(), ResNet: DefaultResNet(), Box: DefaultBox(),
	}
}

// DefaultBox returns a box for variables scaled to [-1, 1] and for the paper's time step,
// 0.002: each step moves a state outside the box back by a tenth of its distance.
func DefaultBox() Box { return Box{Half: 1.25, Pull: 50} }
