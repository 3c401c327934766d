package deepset

import "macroscope/model/compute/kernel"

// Default returns the encoder of the paper's 1-D demo: φ 1-64-64, ρ 64-64-ẑ
// with ReLU.
func Default() Config {
	return Config{Dim: 1, Hidden: []int{64, 64}, Head: []int{64}, ZDim: 8, Act: kernel.ReLU}
}
