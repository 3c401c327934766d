package fit

import (
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/work"
)

// purpose is the use for which a trajectory is read.
type purpose uint32

const (
	forFrames     purpose = iota // the frames that stage I keeps
	forStates                    // z, for stage II
	forValidation                // the first frame and the macroscopic variables, to measure predictions
)

// stores lists the constructors of stores, by purpose. A helper makes items with a store that
// contains no trajectories.
var stores = [...]func(m *model.Model, s system.Shape) store{
	forFrames:     func(m *model.Model, s system.Shape) store { return newFrames(m, s) },
	forStates:     func(m *model.Model, s system.Shape) store { return newStates(m, s) },
	forValidation: func(m *model.Model, s system.Shape) store { return newWatched(m, s) },
}

// store keeps the data of trajectories that a training needs, one item per trajectory.
type store interface {
	item() item
	entered(index int) item // the item that was entered with this index
	// ready computes the scales that depend on the trajectories. It is called when the store has
	// all trajectories that the next step of training needs. `there` is the number of trajectories
	// in the store; they are the first ones of the source.
	ready(there int) error
}

// item contains the data of one trajectory, in the form in which a store keeps them.
type item interface {
	// fill makes the item from its trajectory, which it may change.
	fill(t *system.Trajectory, index int, pause work.Pause) error
	// pass writes the complete item to a message, or reads it. ok is false if the message does
	// not contain such an item.
	pass(m *message) (ok bool)
	// enter puts the complete item into the store.
	enter(index int)
}

// readAll reads the first `count` trajectories of a source into a store.
func readAll(pause work.Pause, d store, src system.Source, count, workers int) error {
	err := system.Each(pause, src, count, workers, func(e int, t *system.Trajectory) error {
		it := d.item()
		if err := it.fill(t, e, func(float64) error { return nil }); err != nil {
			return err
		}
		it.enter(e)
		return nil
	})
	if err != nil {
		return err
	}
	return d.ready(count)
}
