package particles

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"macroscope/model/data"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Recording reads a NumPy file: an array trajectories (E, T, N, D), where the
// observable is not computed, another with its values, (E, T) or (E, T, 1), one
// (E) of every parameter that is not the usual, and the force if it is not the usual.
// Positions are read and checked a trajectory at a time. It is not safe for
// concurrent use, apart from Each and from Readers beside one another.
type Recording struct {
	system   system.Forced // with the force of the file
	file     system.File
	shape    system.Shape
	name     string      // of the observable
	own      string      // the array that OwnArray stands for; "" if there is none
	observed []float64   // (E, T); nil where it is computed
	params   [][]float64 // (E, P); nil where the file has none
	raw      data.AnyRow // for Raw
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
	if len(f.More) > 0 {
		return nil, fmt.Errorf("there are %d files, and NumPy's are read one at a time; put their trajectories into one array", 1+len(f.More))
	}
	r := &Recording{system: y, file: f, name: observable}
	r.raw = r.positions()
	if err := r.open(); err != nil {
		return nil, err
	}
	return r, nil
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

// open reads the file's header, and the observable if the file has it.
func (r *Recording) open() error {
	var err error
	if r.shape, err = system.ReadShape(r.file); err != nil {
		return err
	}
	names, err := data.Names(r.file.Bytes, r.file.Size)
	if err != nil {
		return err
	}
	var others []string
	if r.system, others, err = system.ReadForce(r.file.Bytes, r.file.Size, names, r.system); err != nil {
		return err
	}
	if r.params, others, err = parameters.Read(r.file.Bytes, r.file.Size, others, r.shape.Trajectories); err != nil {
		return err
	}
	for _, n := range others {
		if n != system.TrajectoriesArray && n != system.MacroArray && n != system.TypesArray {
			r.own = n
			break
		}
	}
	if r.name == OwnArray && !slices.Contains(names, OwnArray) {
		if r.name = r.own; r.own == "" {
			return errors.New("the file has no array beside trajectories, macro and types that could be the observable")
		}
	}
	array := r.name
	if r.name == Energy && slices.Contains(names, system.MacroArray) {
		array = system.MacroArray
	}
	if !slices.Contains(names, array) {
		return checkObservable(r.name, r.shape.Dim)
	}
	return r.readObserved(array)
}

func (r *Recording) readObserved(array string) error {
	in, err := data.OpenRows(r.file.Bytes, r.file.Size, array)
	if err != nil {
		return err
	}
	defer in.Close()
	s, count, frames := in.Shape, r.shape.Trajectories, r.shape.Frames
	if !(len(s) == 2 || len(s) == 3 && s[2] == 1) || s[0] != count || s[1] != frames {
		return fmt.Errorf("the array %s has the shape %v, and with these trajectories it needs [%d %d] or [%d %d 1]",
			setting.Quote(array), s, count, frames, count, frames)
	}
	if count > data.MaxBytes/8/frames {
		return fmt.Errorf("the array %s has %d numbers, and the limit is %d; use fewer trajectories", setting.Quote(array), count*frames, data.MaxBytes/8)
	}
	r.observed = make([]float64, count*frames)
	for e := range count {
		if err := in.Next64(r.observed[e*frames : (e+1)*frames]); err != nil {
			return err
		}
	}
	for i, v := range r.observed {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the array %s holds %v for frame %d of trajectory %d; leave that trajectory out", setting.Quote(array), v, i%frames, i/frames)
		}
	}
	return nil
}

// Shape implements system.Source.
func (r *Recording) Shape() system.Shape { return r.shape }

// Observable implements system.Recorded: a name that can be computed, or an
// array's.
func (r *Recording) Observable() string { return r.name }

// Force returns the force that the trajectories are of, as far as the file says: else
// that of the system that opened it.
func (r *Recording) Force() string { return r.system.Force() }

// Force is that of the system that opened the files.
func (x *texts) Force() string { return x.system.Force() }

func (r *Recording) law() *law { return r.system.(System).law }

// Close implements system.Recorded.
func (r *Recording) Close() error {
	r.raw.Close()
	return nil
}

// Remark says what else the file could be asked for; "" is nothing.
func (r *Recording) Remark() string {
	if r.own == "" {
		return ""
	}
	return fmt.Sprintf("Its array %s can be the observable too.", setting.Quote(r.own))
}

// Raw implements system.Recorded.
func (r *Recording) Raw(t *system.Trajectory, index int) error { return r.read(t, index, &r.raw) }

// positions returns a reader of the file's trajectories.
func (r *Recording) positions() data.AnyRow {
	return data.NewAnyRow(r.file.Bytes, r.file.Size, system.TrajectoriesArray)
}

// read fills t with trajectory index as it is in the file.
func (r *Recording) read(t *system.Trajectory, index int, in *data.AnyRow) error {
	s := r.shape
	if err := system.CheckIndex(index, s.Trajectories); err != nil {
		return err
	}
	size := s.Frames * s.Particles * s.Dim
	t.Points = slices.Grow(t.Points[:0], size)[:size]
	if err := in.Read(t.Points, index); err != nil {
		return err
	}
	if len(t.Species) != s.Particles {
		t.Species = oneSpecies(s.Particles)
	}
	if t.Params = nil; r.params != nil {
		t.Params = r.params[index]
	}
	t.Macro = t.Macro[:0]
	if r.observed != nil {
		t.Macro = append(t.Macro, r.observed[index*s.Frames:(index+1)*s.Frames]...)
	}
	return nil
}

// makeMacro makes room for the observable where it is to be computed.
func (r *Recording) makeMacro(t *system.Trajectory) {
	if r.observed == nil {
		t.Macro = slices.Grow(t.Macro[:0], r.shape.Frames)[:r.shape.Frames]
	}
}

// finish checks frame k of trajectory index and sets its observable.
func (r *Recording) finish(ctx context.Context, o *observer, t *system.Trajectory, index, k int) error {
	return o.finish(ctx, t, index, k, r.shape.Particles*r.shape.Dim, r.observed == nil)
}

// Each implements system.Source. Whoever is free reads the next trajectory, while
// the others work on theirs.
func (r *Recording) Each(ctx context.Context, count, workers int, each func(int, *system.Trajectory) error) error {
	in := r.positions()
	defer in.Close()
	type room struct {
		t system.Trajectory
		o *observer
	}
	rooms := sync.Pool{New: func() any { return &room{o: newObserver(r.law(), r.name, r.shape.Dim)} }}
	var reading sync.Mutex
	next := 0
	return system.ForEach(ctx, min(count, r.shape.Trajectories), workers, func(int) error {
		w := rooms.Get().(*room)
		defer rooms.Put(w)
		reading.Lock()
		index := next
		next++
		err := r.read(&w.t, index, &in)
		reading.Unlock()
		if err != nil {
			return err
		}
		r.makeMacro(&w.t)
		for k := range r.shape.Frames {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.finish(ctx, w.o, &w.t, index, k); err != nil {
				return err
			}
		}
		return each(index, &w.t)
	})
}

// Reader implements system.Source. It reads a trajectory at once, and checks it
// and computes its observable frame by frame.
func (r *Recording) Reader() (system.Reader, error) {
	return &recordingReader{src: r, in: r.positions(), o: newObserver(r.law(), r.name, r.shape.Dim)}, nil
}

type recordingReader struct {
	src          *Recording
	in           data.AnyRow
	o            *observer
	t            system.Trajectory
	index, frame int
}

func (r *recordingReader) Begin(index int) error {
	r.index, r.frame = index, 0
	err := r.src.read(&r.t, index, &r.in)
	r.src.makeMacro(&r.t)
	return err
}

func (r *recordingReader) Advance() (whole bool, err error) {
	err = r.src.finish(context.Background(), r.o, &r.t, r.index, r.frame)
	r.frame++
	return err == nil && r.frame == r.src.shape.Frames, err
}

func (r *recordingReader) Trajectory() *system.Trajectory { return &r.t }
func (r *recordingReader) Close()                         { r.in.Close() }
