package frames

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/setting"
)

// Files are the text files of one or more runs.
type Files struct {
	Names []string
	Open  func(index int) (io.ReadCloser, error)
}

// Wanted says which files a system can use, and what to do about doubtful ones.
type Wanted struct {
	Options
	Walls  bool                // whether the edges of the box are walls. The box must then not move or repeat, and positions count from its lower corner
	Usable func(axes int) bool // whether the system can use points with so many coordinates. A z that never changes is read only if the system needs it
	Bad    Bad
	Ragged bool      // whether runs may have different numbers of frames and particles
	Starts bool      // whether a run of these can have one frame
	Empty  bool      // whether a frame of these can be without particles
	Offset []float64 // subtracted from the coordinates that are read; of another length: what Census.Offset says
}

// Bad is what happens to a run with a coordinate absurdly far from all others.
type Bad int

// The choices.
const (
	Refuse   Bad = iota // an error names it
	LeaveOut            // the run is left out, with a remark
	Keep                // the run is read, with a remark
)

// Survey holds the facts about all runs in some files. All runs have the same species, coordinates and interval,
// and, unless Wanted.Ragged is set, the same particles and number of frames.
type Survey struct {
	Runs      [][]int  // the pieces of each run, in order: files, or a run of a table
	Frames    int      // frames of the shortest run
	Particles int      // particles of the largest frame
	Of        []Run    // facts about each run
	Axes      []string // names of the coordinates (D)
	Species   []string // names of the species in the order of their numbers, from 1; nil: the files tell none
	Unused    []string // columns that are not read
	Interval  float64  // between two frames, in units of Clock; 0: not known
	Clock     Clock    // Times if the files tell the time; otherwise what they tell, or Order
	Units     string
	Repeats   []string  // axes along which the box repeats
	Sides     []float64 // sides of the box along the axes (D); 0 where it does not repeat, or changes
	Wrapped   bool      // whether coordinates may be wrapped into such a box
	Offset    []float64
	Remarks   []string

	files   Files
	sources []source // of each piece
	wanted  Wanted
	keep    []int // indices of Axes among the coordinates of the files
	again   int   // frames at the joints of files that come again
	empty   int   // frames without particles
	census  *Census
}

// Run holds the facts about one run.
type Run struct {
	RunFrames
	Particles int // places for particles: all that are there in some frame, unless one takes the place of another
	Fewest    int // particles of the smallest frame with particles

	species []string // at each place; nil: the files tell none
}

// piece is what a file contains.
type piece struct {
	head        Head
	particles   int
	fewest      int
	species     []string // of each particle; nil: the file tells none
	frames      int
	first, last key
	interval    float64 // 0: one frame
	begin, end  []float64
	moved       float64 // largest displacement from frame to frame
	cut         string
	box         Box       // of the last frame
	changes     [3]bool   // whether a side of the box changes
	steps       []float64 // of the frames; nil: the file tells none
	times       []float64
	repeated    int    // frames that come again, unchanged
	digest      uint64 // of positions and species
	bad         string
}

// key is a frame's place in its run: its step or its time.
type key float64

// NewSurvey reads all files once. The error names the file, if there are several.
func NewSurvey(files Files, w Wanted) (*Survey, error) {
	s := &Survey{files: files, wanted: w}
	var pieces []piece
	for file := range files.Names {
		of, err := s.list(file)
		if err != nil {
			return nil, err
		}
		for _, r := range of {
			p, err := s.piece(r)
			r.Close()
			if err != nil {
				return nil, err
			}
			pieces = append(pieces, *p)
		}
	}
	if err := s.alike(pieces); err != nil {
		return nil, err
	}
	if err := s.join(pieces); err != nil {
		return nil, err
	}
	return s, s.finish(pieces)
}

// source is where a piece is: a file, or a run in a table with a column for the run.
type source struct {
	name  string // in sentences
	file  int
	table *table // of the run; nil: the piece is a file
}

// list opens a file, and returns a reader of each of its pieces.
func (s *Survey) list(file int) (all []*RunReader, err error) {
	s.sources = append(s.sources, source{s.files.Names[file], file, nil})
	first := len(s.sources) - 1
	r, in, err := s.open(first)
	if err != nil {
		return nil, s.named(first, err)
	}
	t, is := r.Reader.(*sorted).Reader.(*table)
	if !is || t.run < 0 {
		one := s.run([]int{first})
		one.of, one.in, one.next = r, in, 1
		return []*RunReader{one}, nil
	}
	in.Close()
	s.sources = s.sources[:first]
	for _, t := range t.runs() {
		all = append(all, s.run([]int{len(s.sources)}))
		name := "run " + t.name()
		if len(s.files.Names) > 1 {
			name = s.files.Names[file] + ", " + name
		}
		s.sources = append(s.sources, source{name, file, t})
	}
	return all, nil
}

// named adds the name of a piece to an error, if there are several.
func (s *Survey) named(piece int, err error) error {
	if err == nil || len(s.files.Names) == 1 && s.sources[piece].table == nil {
		return err
	}
	return fmt.Errorf("%s: %w", s.sources[piece].name, err)
}

// open opens a piece.
func (s *Survey) open(piece int) (*walled, io.Closer, error) {
	of := &s.sources[piece]
	if of.table != nil {
		return &walled{Reader: &sorted{Reader: of.table.again()}, walls: s.wanted.Walls}, io.NopCloser(nil), nil
	}
	in, err := s.files.Open(of.file)
	if err != nil {
		return nil, nil, err
	}
	r, err := s.reader(of.file, in)
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	return &walled{Reader: r, walls: s.wanted.Walls}, in, nil
}

// reader returns a reader of an open file. It determines the format from the content.
func (s *Survey) reader(file int, in io.Reader) (Reader, error) {
	name, content, err := data.Unpack(s.files.Names[file], in)
	if err != nil {
		return nil, err
	}
	head := make([]byte, data.HeadBytes)
	n, err := io.ReadFull(content, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("reading failed: %w", err)
	}
	format, err := data.FormatOf(name, head[:n])
	switch {
	case err != nil:
		return nil, err
	case format == data.NPY || format == data.NPZ:
		return nil, errors.New("it is a NumPy file among text files, or compressed; give an unpacked NumPy file alone")
	}
	return NewReader(format, io.MultiReader(bytes.NewReader(head[:n]), content), s.wanted.Options)
}

// piece reads a piece from beginning to end.
func (s *Survey) piece(r *RunReader) (*piece, error) {
	p, file := new(piece), r.files[0]
	f, err := r.frame()
	for ; err == nil; f, err = r.frame() {
		if err := s.wanted.Pause.At(float64(s.sources[file].file) / float64(len(s.files.Names))); err != nil {
			return nil, err
		}
		if err := s.add(p, f, r.of.Head(), r.ordered.key(f)); err != nil {
			return nil, s.named(file, err)
		}
	}
	if err != io.EOF {
		return nil, err
	}
	p.particles, p.fewest, p.species = len(r.slots.names), r.slots.fewest, r.slots.species()
	for _, b := range []byte(strings.Join(p.species, " ")) {
		p.digest = p.digest*31 + uint64(b)
	}
	steady := &r.ordered.steady
	if err := steady.straight(); err != nil {
		return nil, s.named(file, err)
	}
	p.bad, _ = s.census.End(s.wanted.Bad == LeaveOut)
	p.head, p.cut, p.repeated, p.interval = *r.of.Head(), r.of.Cut(), r.ordered.again, steady.interval()
	return p, nil
}

// add adds the next frame of a file to its piece and to the census.
func (s *Survey) add(p *piece, f *Frame, h *Head, at key) error {
	dim := len(h.Axes)
	if len(f.Points) == 0 {
		if s.empty++; !s.wanted.Empty || !s.wanted.Ragged {
			return fmt.Errorf("%s has no particle; every frame needs one here", h.named(f))
		}
	}
	now := sampled(f.Points, dim)
	if p.frames == 0 {
		p.first, p.begin, p.end = at, now, now
		if s.census == nil {
			s.census = NewCensus(h.Axes)
		}
		if !slices.Equal(s.census.axes, h.Axes) {
			return fmt.Errorf("its coordinates are %s, and those of the first file %s; give runs of one kind", strings.Join(h.Axes, " "), strings.Join(s.census.axes, " "))
		}
	}
	if f.Box != nil {
		for d := range p.changes {
			p.changes[d] = p.changes[d] || p.frames > 0 && !sameSide(p.box.side(d), f.Box.side(d))
		}
		p.box = *f.Box
	}
	if s.wanted.Ragged {
		p.steps, p.times = clocked(p.steps, p.times, f, h)
	}
	Add(s.census, f.Points)
	p.digest = p.digest*31 + digestOf(f.Points)
	p.moved = max(p.moved, distance(p.end, now))
	p.end, p.last = now, at
	p.frames++
	return nil
}

// side returns the length of the box along x, y or z.
func (b *Box) side(d int) float64 { return b.High[d] - b.Low[d] }

// sameSide reports whether two sides differ by less than the rounding of a file.
func sameSide(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

// clocked adds the step and the time of a frame, as far as the file tells them.
func clocked(steps, times []float64, f *Frame, h *Head) (_, _ []float64) {
	if h.Clock == Steps || h.Clock == Frames {
		steps = append(steps, float64(f.Step))
	}
	if h.Timed {
		times = append(times, f.Time)
	}
	return steps, times
}

// sampled returns the coordinates of the first particles.
func sampled(points []float64, dim int) []float64 {
	return slices.Clone(points[:min(len(points), 64*dim)])
}

// distance returns how far particles have moved; NaN: they are not the same.
func distance(a, b []float64) (d float64) {
	if len(a) != len(b) {
		return math.NaN()
	}
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(d / float64(len(a)))
}

// alike returns an error unless all files have the same particles and tell the same about them.
func (s *Survey) alike(pieces []piece) error {
	first := &pieces[0]
	for i := range pieces {
		switch p := &pieces[i]; {
		case p.particles != first.particles && !s.wanted.Ragged:
			return s.named(i, fmt.Errorf("it has %d particles of %d coordinates, and the first file %d of %d; choose runs of one length and size", p.particles, len(p.head.Axes), first.particles, len(first.head.Axes)))
		case (p.species == nil) != (first.species == nil):
			return s.named(i, errors.New("some files tell the particles’ species and others do not; give runs of one kind"))
		case p.head.Units != first.head.Units:
			return s.named(i, fmt.Errorf("its units are %s, and those of the first file %s; give runs in the same units", setting.Quote(p.head.Units), setting.Quote(first.head.Units)))
		case p.head.Clock != first.head.Clock || p.head.Timed != first.head.Timed:
			return s.named(i, errors.New("some files tell the time of their frames and others do not; give runs of one kind"))
		}
	}
	return nil
}

// join finds out which files continue one another, and checks the lengths and intervals of the runs.
func (s *Survey) join(pieces []piece) error {
	s.Runs = s.chains(pieces)
	if joined := len(s.Runs); joined < len(pieces) {
		if err := s.checkJoints(pieces); err != nil {
			return err
		}
		s.remark("%d files continue one another and are read as %s", len(pieces), setting.Count(joined, "run", "runs"))
	}
	s.once(pieces)
	intervals := make([]float64, len(s.Runs))
	s.Of = make([]Run, len(s.Runs))
	for e, files := range s.Runs {
		for _, i := range files {
			s.Of[e].Names = append(s.Of[e].Names, s.files.Names[s.sources[i].file])
		}
		if t := s.sources[files[0]].table; t != nil {
			s.Of[e].Run = t.name()
		}
		var err error
		if intervals[e], err = s.length(&s.Of[e], files, pieces); err != nil {
			return err
		}
	}
	s.Frames, s.Interval = s.Of[0].Frames, intervals[0]
	for e := range s.Runs {
		name, frames := s.sources[s.Runs[e][0]].name, s.Of[e].Frames
		switch {
		case frames != s.Frames && !s.wanted.Ragged:
			return fmt.Errorf("%s has %d frames, and %s %d; choose runs of one length and size", name, frames, s.sources[s.Runs[0][0]].name, s.Frames)
		case frames < 2 && s.wanted.Ragged && !s.wanted.Starts:
			return fmt.Errorf("%s has one frame, so nothing moves; leave it out", name)
		case s.wanted.Starts && intervals[e] == 0: // of one frame
		case s.wanted.Starts && s.Interval == 0:
			s.Interval = intervals[e]
		case math.Abs(intervals[e]-s.Interval) > 0.01*s.Interval:
			return fmt.Errorf("%s has a frame every %.4g %s, and %s every %.4g; give runs with one interval", name, intervals[e], unit(pieces[0].head, intervals[e]), s.sources[s.Runs[0][0]].name, s.Interval)
		}
	}
	return nil
}

// The method once leaves out runs that are copies of other runs: a link to the newest file, or the
// compressed form of a file. Both the training and the validation set would contain them.
func (s *Survey) once(pieces []piece) {
	var kept [][]int
	first := make(map[uint64]int)
	for _, files := range s.Runs {
		var digest uint64
		for _, i := range files {
			digest = digest*31 + pieces[i].digest
		}
		if before, again := first[digest]; again {
			s.remark("%s is a copy of %s and is left out", path.Base(s.sources[files[0]].name), path.Base(s.sources[before].name))
			continue
		}
		first[digest] = files[0]
		kept = append(kept, files)
	}
	s.Runs = kept
}

// length finds the frames of a run, and returns their interval.
func (s *Survey) length(of *Run, files []int, pieces []piece) (interval float64, err error) {
	if len(files) == 1 {
		p := &pieces[files[0]]
		of.Frames, of.Steps, of.Times = p.frames, p.steps, p.times
		of.Particles, of.Fewest, of.species = p.particles, p.fewest, p.species
		return p.interval, nil
	}
	r := s.run(files)
	defer r.Close()
	for ; ; of.Frames++ {
		f, err := r.frame()
		if err == io.EOF {
			s.again += r.ordered.again
			of.Particles, of.Fewest, of.species = len(r.slots.names), r.slots.fewest, r.slots.species()
			return r.ordered.steady.interval(), r.ordered.steady.straight()
		}
		if err != nil {
			return 0, err
		}
		if s.wanted.Ragged {
			of.Steps, of.Times = clocked(of.Steps, of.Times, f, r.of.Head())
		}
	}
}

// checkJoints returns an error if particles jump from one file of a run to the next.
func (s *Survey) checkJoints(pieces []piece) error {
	var usual float64
	var jumps []float64
	for _, p := range pieces {
		usual = max(usual, p.moved)
	}
	for _, files := range s.Runs {
		for k := 1; k < len(files); k++ {
			jumps = append(jumps, distance(pieces[files[k-1]].end, pieces[files[k]].begin))
		}
	}
	if usual == 0 {
		usual = slices.Sorted(slices.Values(jumps))[len(jumps)/2]
	}
	i := 0
	for _, files := range s.Runs {
		for k := 1; k < len(files); k++ {
			overlaps := pieces[files[k]].first <= pieces[files[k-1]].last // then equal steps must have equal frames
			if usual > 0 && jumps[i] > 10*usual && !overlaps {
				return fmt.Errorf("by its steps %s continues %s, but the particles jump; give each run a file of its own that begins at the same step", s.sources[files[k]].name, s.sources[files[k-1]].name)
			}
			i++
		}
	}
	return nil
}

// chains returns the files of each run. Files with steps that continue one another are one run.
// Otherwise every file is a run, and so is every run of a table that names its runs.
func (s *Survey) chains(pieces []piece) (runs [][]int) {
	each := make([][]int, len(pieces))
	start := math.Inf(1)
	for i := range pieces {
		each[i] = []int{i}
		start = min(start, float64(pieces[i].first))
	}
	names := s.files.Names
	if len(pieces) == 1 || slices.ContainsFunc(s.sources, func(of source) bool { return of.table != nil }) || pieces[0].head.Clock == Order && !pieces[0].head.Timed {
		return each
	}
	byStep, byName := slices.Concat(each...), slices.Concat(each...)
	slices.SortStableFunc(byStep, func(a, b int) int { return cmp.Compare(pieces[a].first, pieces[b].first) })
	slices.SortStableFunc(byName, func(a, b int) int { return natural(names[a], names[b]) })
	goesOn := func(a, b *piece) bool {
		apart := max(a.interval, b.interval)
		return b.first > a.first && b.last > a.last && (apart == 0 || float64(b.first-a.last) < 1.5*apart)
	}
	for _, order := range [][]int{byStep, byName} {
		runs = nil
		for k, i := range order {
			switch {
			case float64(pieces[i].first) == start && (len(runs) == 0 || k > 0):
				runs = append(runs, []int{i})
			case k > 0 && goesOn(&pieces[order[k-1]], &pieces[i]):
				runs[len(runs)-1] = append(runs[len(runs)-1], i)
			default:
				runs = nil
			}
			if runs == nil {
				break
			}
		}
		if runs != nil && len(runs) < len(pieces) {
			return runs
		}
	}
	return each
}

// natural compares names so that 2 comes before 10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := leading(a), leading(b)
		if x > 0 && y > 0 {
			p, q := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if c := cmp.Or(cmp.Compare(len(p), len(q)), strings.Compare(p, q)); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// leading returns how many digits a text begins with.
func leading(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

// finish decides which coordinates are read, takes out their offset, and completes the facts.
func (s *Survey) finish(pieces []piece) error {
	h := &pieces[0].head
	s.Units, s.Unused = h.Units, h.Unused
	if s.Clock = h.Clock; h.Timed {
		s.Clock = Times
	}
	for d := range h.Axes {
		s.keep = append(s.keep, d)
	}
	if last := len(h.Axes) - 1; last == 2 && s.wanted.Columns == nil && s.census.Still(last) && (s.wanted.Usable == nil || s.wanted.Usable(last) || !s.wanted.Usable(last+1)) {
		s.keep = s.keep[:last]
		s.remark("%s is %g throughout and counts as no coordinate", h.Axes[last], s.census.Low[last])
	}
	s.repeats(pieces)
	s.cut(pieces)
	if s.wanted.Walls {
		switch {
		case len(s.Repeats) > 0:
			return fmt.Errorf("the box repeats in %s, and the system has walls; simulate with walls (in LAMMPS: boundary f, and fix wall)", And(s.Repeats))
		case s.Units != "" && s.Units != "lj":
			return fmt.Errorf("the units are %s, and lj is needed; divide positions by σ and times by σ√(m/ε)", setting.Quote(s.Units))
		}
	}
	if err := s.bad(pieces); err != nil {
		return err
	}
	s.species(pieces)
	offset := s.census.Offset()
	if len(s.wanted.Offset) == len(s.keep) {
		offset = make([]float64, len(h.Axes))
		for i, d := range s.keep {
			offset[d] = s.wanted.Offset[i]
		}
	}
	if err := s.census.Check(offset, 52); err != nil {
		return err
	}
	for i, d := range s.keep {
		if offset != nil && offset[d] != 0 {
			if s.Offset == nil {
				s.Offset = make([]float64, len(s.keep))
			}
			s.Offset[i] = offset[d]
		}
	}
	return nil
}

// edge is how near to an edge of a box, as a share of its side, a particle may have crossed it.
const edge = 0.05

// The method `repeats` finds the axes along which the box repeats. Positions may be wrapped if no file
// has unwrapped them and particles come near an edge.
func (s *Survey) repeats(pieces []piece) {
	s.Sides = make([]float64, len(s.keep))
	for i, d := range s.keep {
		name := pieces[0].head.Axes[d]
		s.Axes = append(s.Axes, name)
		s.Sides[i] = side(name, pieces)
		if d >= len(axes) || s.wanted.Columns != nil {
			continue
		}
		repeats := false
		for i := range pieces {
			p := &pieces[i]
			margin := edge * (p.box.High[d] - p.box.Low[d])
			near := s.census.Low[d] < p.box.Low[d]+margin || s.census.High[d] > p.box.High[d]-margin
			repeats = repeats || p.box.Repeats[d]
			s.Wrapped = s.Wrapped || p.box.Repeats[d] && !p.head.Images && near
		}
		if repeats {
			s.Repeats = append(s.Repeats, name)
		}
	}
}

// side returns the side of the box along an axis, or 0 if it does not repeat in all frames with the same length.
func side(axis string, pieces []piece) (length float64) {
	d := slices.Index(axes, strings.TrimSuffix(strings.ToLower(axis), "u"))
	if d < 0 {
		return 0
	}
	for i := range pieces {
		p := &pieces[i]
		if !p.box.Repeats[d] || p.changes[d] || i > 0 && !sameSide(p.box.side(d), length) {
			return 0
		}
		length = p.box.side(d)
	}
	return length
}

// Empty says how many frames have no particle, as a part of a sentence.
func Empty(frames int) string {
	return fmt.Sprintf("frames without particles: %d, for the dynamics alone", frames)
}

// cut remarks on incomplete last frames, on frames without particles, and on frames that come again.
func (s *Survey) cut(pieces []piece) {
	var names []string
	again := s.again
	for i := range pieces {
		again += pieces[i].repeated
		if pieces[i].cut != "" {
			names = append(names, s.of(i, pieces[i].cut))
		}
	}
	switch n := len(names); {
	case n == 1:
		s.remark("%s is incomplete and left out", names[0])
	case n > 1:
		s.remark("the last frames of %d files are incomplete and left out, the first of them %s", n, names[0])
	}
	if s.empty > 0 {
		s.Remarks = append(s.Remarks, Empty(s.empty))
	}
	if again > 0 {
		s.remark("%s again without a change, read once", setting.Count(again, "frame comes", "frames come"))
	}
}

// bad handles the runs with absurd coordinates.
func (s *Survey) bad(pieces []piece) error {
	kept, of := s.Runs[:0:0], s.Of[:0:0]
	for e, files := range s.Runs {
		i := slices.IndexFunc(files, func(i int) bool { return pieces[i].bad != "" })
		if i < 0 || s.wanted.Bad == Keep {
			kept, of = append(kept, files), append(of, s.Of[e])
		}
		if i < 0 {
			continue
		}
		switch bad := s.in(files[i], pieces[files[i]].bad); s.wanted.Bad {
		case Refuse:
			return fmt.Errorf("%s; correct it, or leave out such runs with -outliers leave-out", bad)
		case LeaveOut:
			s.remark("left out: %s", bad)
		default:
			s.remark("%s", bad)
		}
	}
	if s.Runs, s.Of = kept, of; len(kept) == 0 {
		return errors.New("every run has a coordinate absurdly far from all others; correct the files")
	}
	for _, r := range s.Of {
		s.Frames, s.Particles = min(s.Frames, r.Frames), max(s.Particles, r.Particles)
	}
	return nil
}

// species lists the names of the species in their order: numbers by size, other names by the
// alphabet.
func (s *Survey) species(pieces []piece) {
	for i := range pieces {
		for _, name := range pieces[i].species {
			if !slices.Contains(s.Species, name) {
				s.Species = append(s.Species, name)
			}
		}
	}
	slices.SortFunc(s.Species, natural)
}

func (s *Survey) remark(format string, args ...any) {
	s.Remarks = append(s.Remarks, fmt.Sprintf(format, args...))
}

// of adds the name of a file to a part of it, if there are several files.
func (s *Survey) of(file int, part string) string {
	if len(s.sources) == 1 {
		return part
	}
	return part + " of " + path.Base(s.sources[file].name)
}

// in puts the name of a file before a remark, if there are several files.
func (s *Survey) in(file int, remark string) string {
	if len(s.sources) == 1 {
		return remark
	}
	return path.Base(s.sources[file].name) + ": " + remark
}

// unit names the unit of an interval.
func unit(h Head, interval float64) string {
	switch {
	case h.Timed:
		return "units of time"
	case h.Clock == Steps:
		return setting.Plural(int(interval), "step", "steps")
	}
	return setting.Plural(int(interval), "frame", "frames")
}

// And returns names as a part of a sentence: “x, y and z”.
func And(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
