package system

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"

	"macroscope/model/file/data"
)

// Texts is trajectories in text files, each of which holds one: LAMMPS dumps, and
// tables of particles (see data.ReadTrack). The first file says what shape all
// have; the others are opened, read and checked as they are asked for. It is a
// Recorded.
type Texts struct {
	file  File
	shape Shape
	as    Reading
	first *data.Track // the first file, if it is a table
}

var _ Recorded = (*Texts)(nil)

// Reading is what a system makes of trajectories in text files.
type Reading struct {
	Observable string
	Variables  int // M
	// Check says why trajectories of a shape, which Shape.Check lets pass, are of no use.
	Check func(Shape) error
	// Species turns the types of a file (N), nil where it has none, into species.
	Species func(types []int64, particles int) ([]uint8, error)
	// Finisher returns what checks frame k of trajectory index and computes its
	// macroscopic variables. What it returns is not safe for concurrent use.
	Finisher func() func(ctx context.Context, t *Trajectory, index, k int) error
}

// furthest bounds coordinates: particles that flew off have no density.
const furthest = 1e6

// OpenTexts opens text files. It reads no more of a dump than its first frame,
// and counts the others.
func OpenTexts(f File, as Reading) (*Texts, error) {
	x := &Texts{file: f, as: as}
	in, err := x.open(0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	first, types, err := in.next()
	if err != nil {
		return nil, err
	}
	x.shape = Shape{Trajectories: 1 + len(f.More), Frames: 1, Particles: len(first) / in.dim, Dim: in.dim}
	if in.track != nil {
		x.first, x.shape.Frames = in.track, in.track.Frames
	} else if x.shape.Frames, err = data.CountFrames(f.Bytes, f.Size, x.shape.Particles); err != nil {
		return nil, err
	}
	if err := x.shape.Check(); err != nil {
		return nil, err
	}
	if err := as.Check(x.shape); err != nil {
		return nil, err
	}
	_, err = as.Species(types, x.shape.Particles)
	return x, err
}

// textFrames reads one file.
type textFrames struct {
	io.Closer
	dim   int
	dump  *data.Dump  // or
	track *data.Track // of which the next frame is
	at    int
}

// open opens a file by its content.
func (x *Texts) open(index int) (*textFrames, error) {
	if index == 0 && x.first != nil {
		return &textFrames{io.NopCloser(nil), x.first.Dim, nil, x.first, 0}, nil
	}
	file := io.NopCloser(io.NewSectionReader(x.file.Bytes, 0, x.file.Size))
	if index > 0 {
		var err error
		if file, err = x.file.Open(x.name(index)); err != nil {
			return nil, err
		}
	}
	head := make([]byte, data.HeadBytes)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		file.Close()
		return nil, fmt.Errorf("reading failed: %w", err)
	}
	rest := io.MultiReader(bytes.NewReader(head[:n]), file)
	switch data.FormatOf(x.name(index), head[:n]) {
	case data.DumpText:
		return &textFrames{file, 2, data.NewDump(rest), nil, 0}, nil
	case data.CSV:
		defer file.Close()
		text, err := io.ReadAll(io.LimitReader(rest, data.MaxFileBytes+1))
		if err != nil {
			return nil, fmt.Errorf("reading failed: %w", err)
		}
		track, err := data.ReadTrack(text, x.file.Pause)
		if err != nil {
			return nil, err
		}
		return &textFrames{io.NopCloser(nil), track.Dim, nil, track, 0}, nil
	}
	file.Close()
	return nil, fmt.Errorf("it is a NumPy file among text files; give one kind alone")
}

// next returns the next frame (N, dim) and the types (N), which hold until it is
// called again, or io.EOF.
func (in *textFrames) next() (points []float32, types []int64, err error) {
	if in.dump != nil {
		err := in.dump.Next()
		return in.dump.Positions, in.dump.Types, err
	}
	if in.at == in.track.Frames {
		return nil, nil, io.EOF
	}
	size := in.track.Particles * in.track.Dim
	in.at++
	return in.track.Positions[(in.at-1)*size : in.at*size], in.track.Types, nil
}

func (x *Texts) name(index int) string {
	if index == 0 {
		return x.file.Name
	}
	return x.file.More[index-1]
}

// Name is that of the first file.
func (x *Texts) Name() string { return x.file.Name }

// Observable implements Recorded.
func (x *Texts) Observable() string { return x.as.Observable }

// Shape implements Source.
func (x *Texts) Shape() Shape { return x.shape }

// Close implements Recorded.
func (x *Texts) Close() error { return nil }

// Raw implements Recorded.
func (x *Texts) Raw(t *Trajectory, index int) error {
	r := textReader{src: x, finish: func(context.Context, *Trajectory, int, int) error { return nil }}
	defer r.Close()
	err := r.Begin(index)
	for whole := false; err == nil && !whole; {
		whole, err = r.Advance()
	}
	*t = r.t
	t.Macro = nil
	return err
}

// Each implements Source.
func (x *Texts) Each(ctx context.Context, count, workers int, each func(int, *Trajectory) error) error {
	return ForEach(ctx, min(count, x.shape.Trajectories), workers, func(i int) error {
		r := textReader{src: x, finish: x.as.Finisher()}
		defer r.Close()
		err := r.Begin(i)
		for whole := false; err == nil && !whole; {
			if err = ctx.Err(); err == nil {
				whole, err = r.advance(ctx)
			}
		}
		if err != nil {
			return err
		}
		return each(i, &r.t)
	})
}

// Reader implements Source. A piece of work is a frame.
func (x *Texts) Reader() (Reader, error) { return &textReader{src: x, finish: x.as.Finisher()}, nil }

type textReader struct {
	src    *Texts
	finish func(context.Context, *Trajectory, int, int) error
	in     *textFrames
	t      Trajectory
	index  int
	frame  int
}

func (r *textReader) Begin(index int) error {
	if err := CheckIndex(index, r.src.shape.Trajectories); err != nil {
		return err
	}
	r.Close()
	r.index, r.frame, r.t = index, 0, Trajectory{}
	return nil
}

// named says which file an error is in, if there are several.
func (r *textReader) named(err error) error {
	if err != nil && r.index > 0 {
		err = fmt.Errorf("%s: %w", r.src.name(r.index), err)
	}
	return err
}

func (r *textReader) Advance() (whole bool, err error) { return r.advance(context.Background()) }

func (r *textReader) advance(ctx context.Context) (whole bool, err error) {
	whole, err = r.frameOf(ctx)
	return whole, r.named(err)
}

// frameOf reads the next frame.
func (r *textReader) frameOf(ctx context.Context) (whole bool, err error) {
	s := r.src.shape
	if r.in == nil {
		if r.in, err = r.src.open(r.index); err != nil {
			return false, err
		}
	}
	points, types, err := r.in.next()
	if err == io.EOF {
		return false, fmt.Errorf("it holds %d frames of %d particles, and the first file %d of %d; choose runs of one length and size", r.frame, len(r.t.Points)/max(1, r.frame*s.Dim), s.Frames, s.Particles)
	}
	if err != nil {
		return false, err
	}
	if n := len(points) / r.in.dim; n != s.Particles || r.in.dim != s.Dim {
		return false, fmt.Errorf("it holds %d particles of %d coordinates, and the first file %d of %d; choose runs of one length and size", n, r.in.dim, s.Particles, s.Dim)
	}
	for _, v := range points {
		if math.Abs(float64(v)) > furthest {
			return false, fmt.Errorf("a particle is at %g in frame %d, a million sizes away; end the run before it flew off", v, r.frame)
		}
	}
	if r.frame == 0 {
		if r.t.Species, err = r.src.as.Species(types, s.Particles); err != nil {
			return false, err
		}
		r.t.Macro = make([]float64, s.Frames*r.src.as.Variables)
	}
	r.t.Points = append(r.t.Points, points...)
	if err := r.finish(ctx, &r.t, r.index, r.frame); err != nil {
		return false, err
	}
	if r.frame++; r.frame < s.Frames {
		return false, nil
	}
	if _, _, err := r.in.next(); err == nil {
		return false, fmt.Errorf("it holds more than the %d frames of the first file; choose runs of one length and size", s.Frames)
	} else if err != io.EOF {
		return false, err
	}
	return true, nil
}

func (r *textReader) Trajectory() *Trajectory { return &r.t }

func (r *textReader) Close() {
	if r.in != nil {
		r.in.Close()
		r.in = nil
	}
}
