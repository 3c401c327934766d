package fit

import (
	"context"

	"macroscope/model/learn/experiment"
	"macroscope/model/system"
)

// purpose says what a trajectory is read for.
type purpose uint32

const (
	forFrames     purpose = iota // the frames that stage I keeps
	forStates                    // z, for stage II
	forValidation                // the first frame and the variables, to measure predictions by
)

// stores make room for the items of a source's trajectories, by their purpose. A store of
// no trajectories makes a helper's items.
var stores = [...]func(m *experiment.Model, s system.Shape) store{
	forFrames:     func(m *experiment.Model, s system.Shape) store { return newFrames(m, s) },
	forStates:     func(m *experiment.Model, s system.Shape) store { return newStates(m, s) },
	forValidation: func(m *experiment.Model, s system.Shape) store { return newWatched(m, s) },
}

// store keeps what a training needs of trajectories, an item each.
type store interface {
	item() item
	// ready is told that the first so many trajectories are there, enough for the next
	// step, and finds the scales that depend on them.
	ready(there int) error
}

// item is the part of one trajectory that a store keeps.
type item interface {
	// work does a piece of it, and says whether it is whole. The trajectory, of that
	// number, is the same every time, and may be changed.
	work(t *system.Trajectory, index int) (whole bool, err error)
	// pass writes the whole item to a message, or reads it; ok is false if it cannot be
	// what was asked for.
	pass(m *message) (ok bool)
	// enter puts the whole item into the store.
	enter(index int)
}

// readAll fills a store with the first trajectories of a source. done is told how many
// there are.
func readAll(ctx context.Context, d store, src system.Source, count, workers int, done func(trajectories int)) error {
	seen := system.Counter(done)
	err := src.Each(ctx, count, workers, func(e int, t *system.Trajectory) error {
		it := d.item()
		for whole := false; !whole; {
			var err error
			if whole, err = it.work(t, e); err != nil {
				return err
			}
		}
		it.enter(e)
		seen()
		return nil
	})
	if err != nil {
		return err
	}
	return d.ready(count)
}
