package frames

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// walled is a Reader that checks the box and subtracts its lower corner, if the box has walls.
type walled struct {
	Reader
	walls bool
	box   Box // of the first frame
	step  int64
	begun bool
}

// outside is how far a particle may be beyond a wall, as a share of the box: a potential of the
// wall can let a particle through a little.
const outside = 0.05

// Next implements Reader.
func (w *walled) Next() (*Frame, error) {
	f, err := w.Reader.Next()
	if err != nil || !w.walls || f.Box == nil {
		return f, err
	}
	if !w.begun {
		w.box, w.step, w.begun = *f.Box, f.Step, true
	}
	dim := len(w.Head().Axes)
	for d := range min(dim, 2) {
		low, high := f.Box.Low[d], f.Box.High[d]
		if low != w.box.Low[d] || high != w.box.High[d] {
			return nil, fmt.Errorf("the walls move: the box of step %d is not the box of step %d; dump a run in a box that stays", f.Step, w.step)
		}
		for i := d; i < len(f.Points); i += dim {
			if v := f.Points[i]; v < low-outside*(high-low) || v > high+outside*(high-low) {
				return nil, fmt.Errorf("in step %d %s of particle %d is %g, outside of the walls at %g and %g; dump a run that they hold together", f.Step, axes[d], i/dim, v, low, high)
			}
			f.Points[i] -= low
		}
	}
	return f, nil
}

// ordered is a Reader of frames at equal distances. A frame that comes again is left out if it is
// the same: a simulation that goes on from a restart writes such frames.
type ordered struct {
	Reader
	seen   map[key]uint64 // digests of frames
	again  int            // frames that came again, unchanged
	steady steady
}

func (o *ordered) key(f *Frame) key {
	if h := o.Head(); h.Clock == Times {
		return key(f.Time)
	}
	return key(f.Step)
}

// Next implements Reader.
func (o *ordered) Next() (*Frame, error) {
	for {
		f, err := o.Reader.Next()
		if err != nil {
			return f, err
		}
		h := o.Head()
		if h.Clock == Order && !h.Timed {
			return f, nil
		}
		k, digest := o.key(f), digestOf(f.Points)
		before, again := o.seen[k]
		if again && before == digest {
			o.again++
			continue
		}
		if again {
			return nil, fmt.Errorf("%s comes again with other positions; keep one run in a file, and one version of each frame", o.Head().named(f))
		}
		if err := o.steady.add(o, f); err != nil {
			return nil, err
		}
		if o.seen == nil {
			o.seen = make(map[key]uint64)
		}
		o.seen[k] = digest
		return f, nil
	}
}

// named names a frame.
func (h *Head) named(f *Frame) string {
	switch {
	case h.Clock == Steps:
		return fmt.Sprintf("step %d", f.Step)
	case h.Clock == Times:
		return fmt.Sprintf("time %g", f.Time)
	}
	return fmt.Sprintf("frame %d", f.Step)
}

func digestOf(points []float64) (h uint64) {
	for _, v := range points {
		h = (h ^ math.Float64bits(v)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// steady checks that frames are at equal distances.
type steady struct {
	frames      int
	first, last float64 // times, or steps
	apart       float64 // distance of the first two
	times       []float64
}

// jitter is how far the distance of two frames may differ from that of the first two, as a share:
// times in a file are rounded (0.03, 0.07, 0.1), and cameras are not exact. Steps are exact.
const jitter = 0.4

func (s *steady) add(o *ordered, f *Frame) error {
	h := o.Head()
	switch {
	case h.Timed:
		return s.next(f.Time, "time", "", jitter)
	case h.Clock == Steps:
		return s.next(float64(f.Step), "step", "steps ", 0)
	}
	return s.next(float64(f.Step), "frame", "", 0)
}

// The method `next` adds the next frame. `name` and `unit` name the place `at` and distances in errors.
// The distance of frames may differ by the share `tolerance`.
func (s *steady) next(at float64, name, unit string, tolerance float64) error {
	apart := at - s.last
	switch {
	case s.frames == 0:
		s.first = at
	case !(apart > 0):
		return fmt.Errorf("%s %.9g comes after %s %.9g; keep one run in a file, with its frames in order", name, at, name, s.last)
	case s.frames == 1:
		s.apart = apart
	case math.Abs(apart-s.apart) > tolerance*s.apart:
		also := ""
		if k := math.Round(apart / s.apart); k > 1 && math.Abs(apart-k*s.apart) <= tolerance*s.apart {
			also = ", and end a run before a frame without particles"
		}
		return fmt.Errorf("%s %.9g comes %.4g %safter %s %.9g, and the first two frames are %.4g %sapart; keep frames at equal distances%s", name, at, apart, unit, name, s.last, s.apart, unit, also)
	}
	if s.last = at; tolerance > 0 {
		s.times = append(s.times, at)
	}
	s.frames++
	return nil
}

// Interval returns the mean distance of times. The error is about times that are not at equal
// distances.
func Interval(times []float64) (float64, error) {
	var s steady
	for _, t := range times {
		if err := s.next(t, "time", "", jitter); err != nil {
			return 0, err
		}
	}
	return s.interval(), s.straight()
}

// interval returns the mean distance of two frames, or 0.
func (s *steady) interval() float64 {
	if s.frames < 2 {
		return 0
	}
	return (s.last - s.first) / float64(s.frames-1)
}

// straight returns an error if a time is more than an interval away from its place among frames at
// equal distances: distances that grow slowly pass every comparison with the first.
func (s *steady) straight() error {
	interval := s.interval()
	for k, t := range s.times {
		if off := t - s.first - float64(k)*interval; math.Abs(off) > interval {
			return fmt.Errorf("the distances of the frames change: frame %d is at time %.9g, and at equal distances it would be at %.9g; keep frames at equal distances", k, t, t-off)
		}
	}
	return nil
}

// RunReader reads the frames of a run in single precision. It is not safe for concurrent use.
type RunReader struct {
	s       *Survey
	files   []int
	next    int // next file
	in      io.Closer
	of      Reader // the open file
	ordered ordered
	slots   slots
	points  []float32
	size    int     // particles, those that are not there in the current frame included
	species []int64 // of each; nil: the files tell none
}

// Run returns a reader of a run.
func (s *Survey) Run(index int) *RunReader {
	r := s.run(s.Runs[index])
	r.size = s.Of[index].Particles
	if names := s.Of[index].species; names != nil {
		r.species = s.numbers(names)
	}
	return r
}

func (s *Survey) run(files []int) *RunReader {
	r := &RunReader{s: s, files: files, slots: slots{ragged: s.wanted.Ragged}}
	r.ordered.Reader = (*sequence)(r)
	return r
}

// frame reads the next frame, and gives its particles their places.
func (r *RunReader) frame() (*Frame, error) {
	f, err := r.ordered.Next()
	if err == nil {
		err = r.slots.put(f, r.of.Head())
	}
	if err != nil && err != io.EOF {
		err = r.s.named(r.files[r.next-1], err)
	}
	return f, err
}

// sequence is the Reader of a run's files, one after another.
type sequence RunReader

// Head implements Reader.
func (r *sequence) Head() *Head { return r.of.Head() }

// Cut implements Reader.
func (r *sequence) Cut() string { return "" }

// Next implements Reader.
func (r *sequence) Next() (*Frame, error) {
	for {
		if r.of == nil {
			if r.next == len(r.files) {
				return nil, io.EOF
			}
			r.next++
			var err error
			if r.of, r.in, err = r.s.open(r.files[r.next-1]); err != nil {
				return nil, err
			}
		}
		f, err := r.of.Next()
		if err == io.EOF && r.next < len(r.files) {
			(*RunReader)(r).Close()
			continue
		}
		return f, err
	}
}

// Next returns the next frame: coordinates (N, D) without the offset, NaN for a particle that is not there, and species
// (N), from 1; nil: the files tell none. Both are valid until the next call. After the last frame it returns io.EOF.
func (r *RunReader) Next() (points []float32, species []int64, err error) {
	if _, err := r.frame(); err != nil {
		return nil, nil, err
	}
	s, from := r.s, r.slots.points
	dim := len(r.of.Head().Axes)
	r.points = r.points[:0]
	for i := range r.size {
		for k, d := range s.keep {
			v := math.NaN()
			if i*dim < len(from) {
				v = from[i*dim+d]
			}
			if s.Offset != nil {
				v -= s.Offset[k]
			}
			r.points = append(r.points, float32(v))
		}
	}
	return r.points, r.species, nil
}

// Named reports whether the species are named by texts. Their numbers are then their places in Species, from 1.
func (s *Survey) Named() bool {
	return slices.ContainsFunc(s.Species, func(name string) bool {
		_, err := parseInt([]byte(name))
		return err != nil
	})
}

// numbers returns the numbers of species: the names themselves if all are numbers, otherwise their
// places in the list of species.
func (s *Survey) numbers(names []string) []int64 {
	of := make(map[string]int64)
	named := s.Named()
	for i, name := range s.Species {
		if of[name] = int64(i + 1); !named {
			of[name], _ = parseInt([]byte(name))
		}
	}
	numbers := make([]int64, len(names))
	for i, name := range names {
		numbers[i] = of[name]
	}
	return numbers
}

// Close closes the open file.
func (r *RunReader) Close() {
	if r.in != nil {
		r.in.Close()
		r.in, r.of = nil, nil
	}
}
