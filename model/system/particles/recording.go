package particles

import (
	"errors"
	"fmt"
	"slices"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Open implements system.System. It opens a NumPy file, or text files with one trajectory each. The
// observable is one of Observables, or the name of an array in the file. A NumPy file contains:
//   - the array trajectories (E, T, N, D)
//   - an array (E) for every parameter that differs from its default
//   - the force, unless it is the default force
//   - an array (E, T) or (E, T, 1) for an observable that the program cannot compute
//   - optionally the array macro, which contains the energy
func (y System) Open(f system.File, observable string) (system.Recorded, error) {
	if text, err := f.Text(); text || err != nil {
		if err != nil {
			return nil, err
		}
		return system.OpenRecorded(f, y.contents(observable))
	}
	a, err := system.ReadArchive(f, parameters, y)
	if err != nil {
		return nil, err
	}
	own := "" // name of the array that OwnArray stands for
	for _, name := range a.Others {
		if !system.Reserved(name) {
			own = name
			break
		}
	}
	if observable == OwnArray && !slices.Contains(a.Names, OwnArray) {
		if observable = own; own == "" {
			return nil, errors.New("the file has no array beside trajectories, macro and types that could be the observable")
		}
	}
	as := a.Forces.(System).contents(observable)
	if as.Array = as.Observable; as.Array == Energy && slices.Contains(a.Names, system.MacroArray) {
		as.Array = system.MacroArray
	}
	if own != "" && own != as.Array {
		as.Hint = fmt.Sprintf("the array %s can be the observable too", setting.Quote(own))
	}
	return a.Open(as)
}
