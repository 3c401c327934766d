package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"macroscope/sim/particle"
)

// The observables that can be computed from positions alone.
const (
	Energy   = "energy"   // of the interacting particles, per pair; in the plane alone
	Gyration = "gyration" // root mean square distance from the centre of mass
	Extent   = "extent"   // largest minus smallest first coordinate
)

var observables = []string{Energy, Gyration, Extent}

func observableNames() string { return strings.Join(observables, ", ") }

// checkObservable says whether an observable can be computed of particles with
// dim coordinates.
func checkObservable(name string, dim int) error {
	switch {
	case !slices.Contains(observables, name):
		return fmt.Errorf("there is no observable %s; use %s or the name of an array in the data", quote(name), observableNames())
	case name == Energy && dim != 2:
		return fmt.Errorf("the energy is that of particles in the plane, and these have %d coordinates; use another observable", dim)
	}
	return nil
}

// observer evaluates one observable. It serves one goroutine at a time.
type observer struct {
	name      string
	dim       int
	sim       *particle.Simulation
	positions int
}

func newObserver(name string, dim int) *observer {
	return &observer{name: name, dim: dim}
}

// observe returns the observable of one frame (n, dim). Its error is that of
// positions too far out to have an energy.
func (o *observer) observe(frame []float32) (float64, error) {
	switch o.name {
	case Energy:
		return o.energy(frame)
	case Gyration:
		return gyration(frame, o.dim), nil
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := 0; i < len(frame); i += o.dim {
		low, high = min(low, float64(frame[i])), max(high, float64(frame[i]))
	}
	return high - low, nil
}

func (o *observer) energy(frame []float32) (float64, error) {
	if o.sim == nil || o.positions != len(frame) {
		c := particle.Default()
		c.N = len(frame) / 2
		sim, err := particle.New(c, frame)
		if err != nil {
			return 0, err
		}
		o.sim, o.positions = sim, len(frame)
	} else if err := o.sim.Reset(frame); err != nil {
		return 0, err
	}
	return o.sim.Energy(), nil
}

func gyration(frame []float32, dim int) float64 {
	n := float64(len(frame) / dim)
	total := 0.0
	for i := range dim {
		sum, squares := 0.0, 0.0
		for j := i; j < len(frame); j += dim {
			v := float64(frame[j])
			sum += v
			squares += v * v
		}
		total += squares/n - sum/n*sum/n
	}
	return math.Sqrt(max(total, 0))
}
