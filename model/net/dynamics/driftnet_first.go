//go:build first

package dynamics

import (
	"math/rand/v2"

	"macroscope/model/compute/tensor"
)

// The page's first program has no system with dynamics, so it is built without drifts (see serve/dist).
const without = "dynamics: this program has no dynamics"

// NewDriftNet panics.
func NewDriftNet(DriftConfig, int, *tensor.Layout, string) *DriftNet { panic(without) }

// Init panics.
func Init[T tensor.Float]([]T, *DriftNet, *rand.Rand) { panic(without) }

// NewDrift panics.
func NewDrift[T tensor.Float](*DriftNet, int) Drift[T] { panic(without) }
