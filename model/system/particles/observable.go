package particles

import (
	"context"
	"fmt"
	"math"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/sim/particle"
)

// The observables that the program computes.
const (
	Energy   = "energy"   // energy per pair; only in the plane
	Gyration = "gyration" // root mean square distance from the centre of mass
	Extent   = "extent"   // largest minus smallest first coordinate
)

// observables lists the observables from which the user can choose, with their labels.
var observables = []setting.Option{
	{Value: Energy, Label: "energy"}, {Value: Gyration, Label: "radius of gyration"},
	{Value: Extent, Label: "extent"}, {Value: system.OwnArray, Label: "an array of the file"},
}

// inWords returns the observable's name in sentences.
func inWords(observable string) string {
	switch observable {
	case Energy:
		return "energy per pair"
	case Gyration:
		return "radius of gyration"
	}
	return observable
}

// checkObservable returns an error if an observable cannot be computed for particles with dim
// coordinates.
func checkObservable(name string, dim int) error {
	switch {
	case name != Energy && name != Gyration && name != Extent:
		return fmt.Errorf("there is no observable %s; use %s, %s, %s or the name of an array in the data", setting.Quote(name), Energy, Gyration, Extent)
	case name == Energy && dim != 2:
		return fmt.Errorf("the energy is that of particles in the plane, and these have %d coordinates; use another observable", dim)
	}
	return nil
}

// observer evaluates one observable. It is not safe for concurrent use.
type observer struct {
	law  *law
	name string
	dim  int
	sim  *particle.Simulation // computes energies; it is made for the first frame and reset to each later frame
}

// newObserver implements system.Contents.
func newObserver(formula, name string, dim int) (system.Observer, error) {
	f, err := force{}.parse(formula)
	if err == nil {
		err = checkObservable(name, dim)
	}
	o := &observer{law: f.law, name: name, dim: dim}
	return func(macro []float64, frame []float32, of *system.Trajectory) (err error) {
		macro[0], err = o.observe(frame, of.Params)
		return err
	}, err
}

// observe returns the observable of one frame (n, dim), given the parameters (P). It returns an
// error if positions are too far out for an energy.
func (o *observer) observe(frame []float32, params []float64) (float64, error) {
	switch o.name {
	case Energy:
		return o.energy(frame, params)
	case Gyration:
		return gyration(frame, o.dim), nil
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := 0; i < len(frame); i += o.dim {
		low, high = min(low, float64(frame[i])), max(high, float64(frame[i]))
	}
	return high - low, nil
}

func (o *observer) energy(frame []float32, params []float64) (float64, error) {
	c := particle.Default()
	c.N = len(frame) / 2
	if err := o.law.assign(&c, params); err != nil {
		return 0, err
	}
	if o.sim == nil || o.sim.Config() != c {
		sim, err := particle.New(context.Background(), c, frame)
		if err != nil {
			return 0, err
		}
		o.sim = sim
	} else if err := o.sim.Reset(context.Background(), frame); err != nil {
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
