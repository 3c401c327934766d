package particles

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"macroscope/model/file/data"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Recording reads a NumPy file: an array trajectories (E, T, N, D), where the
// observable is not computed, another with its values, (E, T) or (E, T, 1), one
// (E) of every parameter that is not the usual, and the force if it is not the usual.
type Recording struct {
	*system.Archive
	system system.Forced // with the force of the file
	own    string        // the array that OwnArray stands for; "" if there is none
}

var _ system.Recorded = (*Recording)(nil)

// Open implements system.System: a NumPy file, of which it returns a *Recording, or
// text files, each of which is one trajectory. The observable
// is one of those that can be computed, the name of an array in the file, or
// OwnArray. The energy is taken from the array macro where there is one.
func (y System) Open(f system.File, observable string) (system.Recorded, error) {
	if observable == "" {
		observable = Energy
	}
	if f.Text() {
		return y.openTexts(f, observable)
	}
	return y.openRecording(f, observable)
}

// texts is trajectories in text files.
type texts struct {
	*system.Texts
	system System
}

func (y System) openTexts(f system.File, observable string) (*texts, error) {
	x, err := system.OpenTexts(f, system.Reading{
		Observable: observable,
		Variables:  1,
		Check:      func(s system.Shape) error { return checkObservable(observable, s.Dim) },
		Species:    func(_ []int64, particles int) ([]uint8, error) { return oneSpecies(particles), nil },
		Finisher: func() func(context.Context, *system.Trajectory, int, int) error {
			var o *observer
			return func(ctx context.Context, t *system.Trajectory, index, k int) error {
				size := len(t.Points) / (k + 1)
				if o == nil {
					o = newObserver(y.law, observable, size/len(t.Species))
				}
				return o.finish(ctx, t, index, k, size, true)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	return &texts{x, y}, nil
}

// openRecording reads the file's header, and the observable of a name if the file has it.
func (y System) openRecording(f system.File, name string) (system.Recorded, error) {
	s, err := system.ReadShape(f)
	if err != nil {
		return nil, err
	}
	names, err := data.Names(f.Bytes, f.Size)
	if err != nil {
		return nil, err
	}
	var r Recording
	var others []string
	if r.system, others, err = system.ReadForce(f.Bytes, f.Size, names, y); err != nil {
		return nil, err
	}
	params, others, err := parameters.Read(f.Bytes, f.Size, others, s.Trajectories)
	if err != nil {
		return nil, err
	}
	for _, n := range others {
		if n != system.TrajectoriesArray && n != system.MacroArray && n != system.TypesArray {
			r.own = n
			break
		}
	}
	if name == OwnArray && !slices.Contains(names, OwnArray) {
		if name = r.own; r.own == "" {
			return nil, errors.New("the file has no array beside trajectories, macro and types that could be the observable")
		}
	}
	array := name
	if name == Energy && slices.Contains(names, system.MacroArray) {
		array = system.MacroArray
	}
	var observed []float64 // (E, T); nil where it is computed
	if slices.Contains(names, array) {
		observed, err = readObserved(f, s, array)
	} else {
		err = checkObservable(name, s.Dim)
	}
	if err != nil {
		return nil, err
	}
	r.Archive = system.NewArchive(f, s, system.Contents{
		Observable: name,
		Variables:  1,
		Fill: func(t *system.Trajectory, index int) error {
			if len(t.Species) != s.Particles {
				t.Species = oneSpecies(s.Particles)
			}
			if params != nil {
				t.Params = params[index]
			}
			if observed != nil {
				t.Macro = append(t.Macro, observed[index*s.Frames:(index+1)*s.Frames]...)
			}
			return nil
		},
		Finisher: func() func(context.Context, *system.Trajectory, int, int) error {
			o := newObserver(r.system.(System).law, name, s.Dim)
			return func(ctx context.Context, t *system.Trajectory, index, k int) error {
				return o.finish(ctx, t, index, k, s.Particles*s.Dim, observed == nil)
			}
		},
	})
	return &r, nil
}

// readObserved returns the values (E, T) of an observable that is an array of the file.
func readObserved(f system.File, of system.Shape, array string) ([]float64, error) {
	in, err := data.OpenRows(f.Bytes, f.Size, array)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s, count, frames := in.Shape, of.Trajectories, of.Frames
	if !(len(s) == 2 || len(s) == 3 && s[2] == 1) || s[0] != count || s[1] != frames {
		return nil, fmt.Errorf("the array %s has the shape %v, and with these trajectories it needs [%d %d] or [%d %d 1]",
			setting.Quote(array), s, count, frames, count, frames)
	}
	if count > data.MaxBytes/8/frames {
		return nil, fmt.Errorf("the array %s has %d numbers, and the limit is %d; use fewer trajectories", setting.Quote(array), count*frames, data.MaxBytes/8)
	}
	observed := make([]float64, count*frames)
	for e := range count {
		if err := in.Next64(observed[e*frames : (e+1)*frames]); err != nil {
			return nil, err
		}
	}
	for i, v := range observed {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("the array %s holds %v for frame %d of trajectory %d; leave that trajectory out", setting.Quote(array), v, i%frames, i/frames)
		}
	}
	return observed, nil
}

// Force returns the force that the trajectories are of, as far as the file says: else
// that of the system that opened it.
func (r *Recording) Force() string { return r.system.Force() }

// Force is that of the system that opened the files.
func (x *texts) Force() string { return x.system.Force() }

// Remark says what else the file could be asked for; "" is nothing.
func (r *Recording) Remark() string {
	if r.own == "" {
		return ""
	}
	return fmt.Sprintf("Its array %s can be the observable too.", setting.Quote(r.own))
}
