package particles

import (
	"errors"
	"fmt"
	"slices"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Recording is trajectories in files. A NumPy file has an array trajectories (E, T, N, D),
// where the observable is not computed, another with its values, (E, T) or (E, T, 1), one
// (E) of every parameter that is not the usual, and the force if it is not the usual.
type Recording struct {
	*system.Recording
	system system.Forced // with the force of the file
	own    string        // the array that OwnArray stands for; "" if there is none
}

var _ system.Recorded = (*Recording)(nil)

// Open implements system.System: a NumPy file, or text files, each of which is one
// trajectory. It returns a *Recording. The observable
// is one of those that can be computed, the name of an array in the file, or
// OwnArray. The energy is taken from the array macro where there is one.
func (y System) Open(f system.File, observable string) (system.Recorded, error) {
	if f.Text() {
		r, err := system.OpenRecorded(f, y.contents(observable))
		if err != nil {
			return nil, err
		}
		return &Recording{Recording: r, system: y}, nil
	}
	a, err := system.ReadArchive(f, parameters, y)
	if err != nil {
		return nil, err
	}
	r := &Recording{system: a.Forces}
	for _, name := range a.Others {
		if name != system.TrajectoriesArray && name != system.MacroArray && name != system.TypesArray {
			r.own = name
			break
		}
	}
	if observable == OwnArray && !slices.Contains(a.Names, OwnArray) {
		if observable = r.own; r.own == "" {
			return nil, errors.New("the file has no array beside trajectories, macro and types that could be the observable")
		}
	}
	as := a.Forces.(System).contents(observable)
	if as.Array = as.Observable; as.Array == Energy && slices.Contains(a.Names, system.MacroArray) {
		as.Array = system.MacroArray
	}
	r.Recording, err = a.Open(as)
	return r, err
}

// Force returns the force that the trajectories are of, as far as the file says, and of
// others the force of the system that opened it.
func (r *Recording) Force() string { return r.system.Force() }

// Remark says what else the file could be asked for; "" is nothing.
func (r *Recording) Remark() string {
	if r.own == "" {
		return ""
	}
	return fmt.Sprintf("Its array %s can be the observable too.", setting.Quote(r.own))
}
