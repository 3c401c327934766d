package own

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/assets"
	"macroscope/model/file/data"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/wire"
)

// Live plays recorded runs of a system of the user's own. The picture shows particles on two coordinates,
// and a third as depth. There is no run before the user opens a file. It is not safe for concurrent use.
type Live struct {
	core.Core
	spec      Spec
	known     bool // whether a file or a checkpoint describes the system
	shows     shows
	low, high []float64 // ends of the displayed range of each coordinate (D)
	rotation  *rotation // nil: the picture is not turned
	places    []int     // see Shown
	numbers   []float32 // scratch memory
}

var _ system.Live = (*Live)(nil)

// shows contains the settings of the picture. They are the numbers of coordinates and of a species, from 1.
type shows struct {
	across, up string
	depth      string // may be none
	part       string // species whose density is displayed
	// How the picture of a set in space is turned, in degrees, see rotation.
	turn, tilt float64
}

func newLive(s Spec, of *system.System, known bool, page func() *system.Page) *Live {
	l := &Live{spec: s, known: known, shows: shows{across: "1", up: "2", depth: none, part: "1"}}
	if places := s.space(); places != nil {
		l.shows.across, l.shows.up, l.shows.depth = number(places[0]), number(places[1]), number(places[2])
	}
	table := l.shows.table(&s)
	if !known {
		table = l.shows.unknown()
	}
	l.Core = core.New(of, table, core.Kind{Page: page, Max: system.MaxParticles, Called: "particles"})
	l.About.Variables = s.variables()
	return l
}

// none is the value of the setting depth that shows none.
const none = "0"

// table lists the settings that a system has.
func (v *shows) table(s *Spec) (t setting.Table) {
	axes, species := numbered(s.axisNames()), numbered(s.speciesNames())
	if len(axes) > 1 {
		t = append(t, setting.Field{Name: "across", What: "the horizontal axis", Value: &v.across, Options: axes}, setting.Field{Name: "up", What: "the vertical axis", Value: &v.up, Options: axes})
	}
	if len(axes) > 2 {
		t = append(t, setting.Field{Name: "depth", What: "the depth", Value: &v.depth, Options: append([]setting.Option{{Value: none, Label: "nothing"}}, axes...)})
	}
	if s.space() != nil {
		t = append(t, setting.Field{Name: "turn", What: "the turn of the picture", Value: &v.turn, Low: -180, High: 180}, setting.Field{Name: "tilt", What: "the tilt of the picture", Value: &v.tilt, Low: -90, High: 90})
	}
	if len(species) > 1 {
		t = append(t, setting.Field{Name: "part", What: "the species of the density", Value: &v.part, Options: species})
	}
	return t
}

// unknown lists the settings of a system that nothing describes yet: those of any system, so that a link to a system is
// read, whose file its reader has not opened yet.
func (v *shows) unknown() setting.Table {
	any := &Spec{Axes: axes(data.MaxDim)}
	for i := 3; i < len(any.Axes); i++ {
		any.Axes[i].Kind = Mark
	}
	for i := range mostSpecies {
		any.Species = append(any.Species, Species{Name: number(i), Number: number(i)})
	}
	t := v.table(any)
	for i := range t {
		t[i].Hidden = t[i].Name != "across" && t[i].Name != "up" // the page has no controls of the others
	}
	return t
}

// numbered returns options with the numbers of names, from 1.
func numbered(names []string) (o []setting.Option) {
	for i, name := range names {
		o = append(o, setting.Option{Value: number(i), Label: inWords(name)})
	}
	return o
}

// number is the value of the option with index i. The function index is its inverse.
func number(i int) string { return fmt.Sprint(i + 1) }

// index returns the index of an option in the list that numbered has made, or -1 for "0".
func index(value string) (i int) {
	_, _ = fmt.Sscan(value, &i)
	return i - 1
}

// Set implements system.Live. The run goes on; only the picture changes. A coordinate that would be shown twice changes
// places with the one that it replaces.
func (l *Live) Set(name, value string) error {
	f := l.Table.Find(name)
	was := ""
	if f != nil {
		was = f.Text()
	}
	if err := l.Table.Set(name, value); err != nil {
		return err
	}
	if was == none { // no coordinate of the plane can take this value
		was = l.unused()
	}
	v := &l.shows
	all := map[string]*string{"across": &v.across, "up": &v.up, "depth": &v.depth}
	for other, shown := range all {
		if all[name] != nil && other != name && *shown == value && value != none {
			*shown = was
		}
	}
	l.aim()
	return nil
}

// Edit implements system.Live. The command "turn" with the value TURN TILT turns the picture.
func (l *Live) Edit(command, value string) (handled bool, err error) {
	if command != "turn" {
		return l.Core.Edit(command, value)
	}
	turn, tilt, _ := strings.Cut(value, " ")
	if !l.solid() {
		return true, errors.New("this picture cannot be turned: it shows no three positions of one scale")
	}
	was := l.shows.turn
	if err = l.Table.Set("turn", turn); err == nil {
		err = l.Set("tilt", tilt)
	}
	if err != nil {
		l.shows.turn = was
	}
	return true, err
}

// unused returns the number of the first coordinate that is not shown.
func (l *Live) unused() string {
	for i := range l.spec.Axes {
		if n := number(i); n != l.shows.across && n != l.shows.up && n != l.shows.depth {
			return n
		}
	}
	return none
}

// Check implements system.Live.
func (l *Live) Check() error {
	if len(l.spec.Axes) > 1 && l.shows.across == l.shows.up {
		return errors.New("both axes would show the same coordinate; choose two")
	}
	return nil
}

// Generate implements system.Live. A recorded run begins again; without one there is none to begin.
func (l *Live) Generate() error {
	if l.Begun() {
		l.Replay(&l.Frames, l.pace(&l.Frames), l.About)
	}
	l.aim()
	return nil
}

// Record implements system.Live.
func (l *Live) Record(t *system.Trajectory, note string) {
	about := system.Run{Dt: 1, Note: note, Variables: l.spec.variables()}
	if l.spec.Dt > 0 {
		about.Dt = l.spec.Dt
	}
	l.bound(t.Points)
	l.Replay(t, l.pace(t), about)
	l.aim()
}

// shortest and longest are the durations between which a run plays at speed 1, in seconds, if it can.
const shortest, longest = 8, 40

// pace returns how many frames of a run play in a second.
func (l *Live) pace(t *system.Trajectory) float64 {
	frames := float64(t.Frames(len(l.spec.Observables)))
	return min(max(core.PerSecond/2, frames/longest), max(1, frames/shortest))
}

// bound finds the displayed range of every coordinate of points (…, D). For a coordinate that repeats, it is one
// period.
func (l *Live) bound(points []float32) {
	dim := len(l.spec.Axes)
	l.low, l.high = slices.Repeat([]float64{math.Inf(1)}, dim), slices.Repeat([]float64{math.Inf(-1)}, dim)
	for i, v := range points {
		if d, v := i%dim, float64(v); v == v { // NaN: the particle is not there
			l.low[d], l.high[d] = min(l.low[d], v), max(l.high[d], v)
		}
	}
	for d, a := range l.spec.Axes {
		low, high := &l.low[d], &l.high[d]
		switch {
		case a.Period > 0 && *low >= 0 && *high <= a.Period:
			*low, *high = 0, a.Period
		case a.Period > 0 && *low >= -a.Period/2 && *high <= a.Period/2:
			*low, *high = -a.Period/2, a.Period/2
		case *high == *low:
			*low, *high = *low-1, *high+1
		default:
			margin := 0.04 * (*high - *low)
			*low, *high = *low-margin, *high+margin
		}
	}
}

// aim shows the chosen coordinates and species.
func (l *Live) aim() {
	a := &l.About
	if a.Set = 0; len(l.spec.Species) > 1 {
		a.Set = index(l.shows.part) + 1
	}
	if a.Axes = [2]int{}; len(l.spec.Axes) > 1 {
		a.Axes = [2]int{index(l.shows.across), index(l.shows.up)}
	}
	if l.low == nil {
		return
	}
	a.Lo, a.Hi, a.Repeats, a.Rotation = [2]float64{l.low[0], 0}, [2]float64{l.high[0], 1}, [2]bool{l.spec.Axes[0].Period == l.high[0]-l.low[0]}, nil
	l.rotation = nil
	if l.solid() && (l.shows.turn != 0 || l.shows.tilt != 0) {
		l.rotate()
		return
	}
	if len(l.spec.Axes) > 1 {
		for i, d := range a.Axes {
			a.Lo[i], a.Hi[i] = l.low[d], l.high[d]
			a.Repeats[i] = l.spec.Axes[d].Period == l.high[d]-l.low[d]
		}
		l.square()
	}
}

// rotate turns the picture. The displayed region is a square with room for the box of all particles.
func (l *Live) rotate() {
	a, half, r := &l.About, [3]float64{}, new(rotation)
	a.Rotation, l.rotation = r, r
	r.rotate(l.shows.turn, l.shows.tilt)
	for k, d := range l.shown() {
		low, high := l.low[d], l.high[d]
		if r.Of[k], r.Middle[k], half[k] = d, (low+high)/2, (high-low)/2; l.spec.Axes[d].Period == high-low {
			r.Period[k] = high - low
		}
	}
	reach := 0.0
	for i := range a.Lo {
		of := 0.0
		for k, h := range half {
			of += math.Abs(r.Rows[i][k]) * h
		}
		reach = max(reach, of)
	}
	for i := range a.Lo {
		a.Lo[i], a.Hi[i] = r.Middle[i]-1.04*reach, r.Middle[i]+1.04*reach
	}
}

// shown returns the coordinates that are across, up and toward the viewer. The last one is -1 if none is.
func (l *Live) shown() [3]int {
	return [3]int{index(l.shows.across), index(l.shows.up), index(l.shows.depth)}
}

// solid reports whether the picture can be turned: it shows the three positions of a set in space, which have the same scale.
func (l *Live) solid() bool {
	space, shown := l.spec.space(), l.shown()
	if space == nil || l.low == nil {
		return false
	}
	return slices.Contains(space, shown[0]) && slices.Contains(space, shown[1]) && slices.Contains(space, shown[2]) && l.alike(shown[0], shown[1]) && l.alike(shown[0], shown[2])
}

// square makes the displayed region a square if both axes have the same scale and no sides at which they repeat.
func (l *Live) square() {
	a := &l.About
	x, y := a.Hi[0]-a.Lo[0], a.Hi[1]-a.Lo[1]
	if !l.alike(a.Axes[0], a.Axes[1]) || l.spec.Axes[a.Axes[0]].Period > 0 || l.spec.Axes[a.Axes[1]].Period > 0 {
		return
	}
	for i, more := range [2]float64{max(0, y-x) / 2, max(0, x-y) / 2} {
		a.Lo[i], a.Hi[i] = a.Lo[i]-more, a.Hi[i]+more
	}
}

// alike reports whether two coordinates have the same scale: they are of the same kind, and their ranges are about the
// same.
func (l *Live) alike(i, k int) bool {
	x, y := l.spec.Axes[i], l.spec.Axes[k]
	ratio := (l.high[i] - l.low[i]) / (l.high[k] - l.low[k])
	return x.Kind == y.Kind && x.Unit == y.Unit && ratio < 3 && ratio > 1.0/3
}

// Shown implements system.Live. Its result is valid until the next call.
func (l *Live) Shown(dst *system.Frame) (places []int) {
	if l.Core.Shown(dst) == nil {
		return nil
	}
	return l.Places(l.Player().Now())
}

// Places returns which particles of the run are in a frame, in the order of Frame. Its result is valid until the next call.
func (l *Live) Places(frame int) []int {
	dim, points, sets := len(l.spec.Axes), l.Points(frame), max(1, len(l.spec.Species))
	l.places = l.places[:0]
	for s := range sets {
		for i, k := range l.Frames.Species {
			if there := points[i*dim]; there == there && (sets == 1 || int(k) == s+1) {
				l.places = append(l.places, i)
			}
		}
	}
	return l.places
}

// Values adds the value of the control for examples, which always waits for a choice.
func (l *Live) Values(values map[string]string) { values["example"] = "none" }

// Idle lists the settings if there is no picture. Those of the picture apply to recordings.
func (l *Live) Idle() []string {
	switch {
	case !l.Begun():
		return l.Table.Names()
	case !l.solid():
		return []string{"turn", "tilt"}
	}
	return nil
}

// there returns how many particles are in the displayed frame.
func (l *Live) there() (n int) {
	for i, now := 0, l.Now(); i < len(now); i += len(l.spec.Axes) {
		if now[i] == now[i] {
			n++
		}
	}
	return n
}

// Put implements system.Live. Particles that are not in the frame have the places NaN. It adds the rows time, x (N, 2), line (N) for particles with one coordinate, macro (frames so far, M) and variables, the number M.
// It adds the row kind (N) if there are species, depth (N) from 0 to 1 if a coordinate is shown as depth, free if the
// two axes have different scales, and the rows of putTurn. The texts title0, unit0, … name the variables; axis0, axis1
// and axes name the axes.
func (l *Live) Put(f *wire.Frame) {
	if !l.Begun() {
		return
	}
	l.putParticles(f)
	f.Put("time", float32(l.Time()))
	if len(l.spec.Species) > 1 {
		l.each(f, "kind", func(i int) float32 { return float32(l.Frames.Species[i]) })
	}
	f.PutSwitch("free", len(l.spec.Axes) == 1 || !l.alike(l.About.Axes[0], l.About.Axes[1]))
	m, macro := len(l.spec.Observables), l.Frames.Macro
	f.Put("variables", float32(m))
	f.Extend("macro", l.Run().Generation, m*(l.Run().Known+1), func(i int) float32 { return float32(macro[i]) })
	for i, o := range l.spec.Observables {
		f.PutText(fmt.Sprint("title", i), inWords(o.Name))
		f.PutText(fmt.Sprint("unit", i), inWords(o.Unit))
	}
	l.putAxes(f)
}

// putParticles adds the rows x and depth.
func (l *Live) putParticles(f *wire.Frame) {
	dim, x, n, r := len(l.spec.Axes), l.Now(), l.About.Particles, l.rotation
	deep := dim > 2 && l.shown()[2] >= 0
	l.numbers = l.numbers[:0]
	for i := range n {
		switch at := x[i*dim : (i+1)*dim]; {
		case dim == 1:
			l.numbers = append(l.numbers, at[0], (float32(i)+0.5)/float32(n))
		case r != nil:
			place := r.At(at)
			l.numbers = append(l.numbers, float32(place[0]), float32(place[1]))
		default:
			l.numbers = append(l.numbers, at[l.About.Axes[0]], at[l.About.Axes[1]])
		}
	}
	f.Put("x", l.numbers...)
	if dim == 1 {
		f.Put("line", x...)
	}
	if !deep {
		return
	}
	d := l.shown()[2]
	low, high := l.low[d], l.high[d]
	if r != nil {
		half := (l.About.Hi[0] - l.About.Lo[0]) / 2
		low, high = r.Middle[2]-half, r.Middle[2]+half
	}
	l.each(f, "depth", func(i int) float32 {
		at := float64(x[i*dim+d])
		if r != nil {
			at = r.At(x[i*dim : (i+1)*dim])[2]
		}
		return float32(min(max(0, (at-low)/(high-low)), 1))
	})
}

// putAxes names the axes. If the picture can be turned, it adds the row turn, the two angles, and the rows of putBox.
func (l *Live) putAxes(f *wire.Frame) {
	x, y, z := l.spec.Axes[l.About.Axes[0]], Axis{Name: "particle"}, l.shown()[2]
	if len(l.spec.Axes) > 1 {
		y = l.spec.Axes[l.About.Axes[1]]
	}
	text := named(x.Name, x.Unit) + " across, " + named(y.Name, y.Unit) + " up"
	if len(l.spec.Axes) > 2 && z >= 0 {
		text += ", " + l.spec.Axes[z].Name + " as depth"
	}
	if l.solid() {
		f.Put("turn", float32(l.shows.turn), float32(l.shows.tilt))
		text += "; drag to turn"
	}
	if l.rotation != nil {
		x.Name, y.Name, text = "across", "up", ""
		l.putBox(f)
	}
	f.PutText("axis0", x.Name)
	f.PutText("axis1", y.Name)
	f.PutText("axes", text)
}

// boxLine goes along all edges of a box. Bit k of the number of a corner is its end along edge k; -1 is between two lines.
var boxLine = [...]int{0, 1, 3, 2, 0, 4, 5, 7, 6, 4, -1, 1, 5, -1, 3, 7, -1, 2, 6}

// putBox adds the rows box (n, 2), the edges of the box of all particles as a line with NaN between its parts, and edges
// (3, 2), the middles of the three edges at the lowest corner, NaN if an edge is short. The texts edge0 to edge2 name these.
func (l *Live) putBox(f *wire.Frame) {
	nan := float32(math.NaN())
	turned := *l.rotation
	turned.Period = [3]float64{} // a corner is half a period from the middle
	x, corners, lowest := make([]float32, len(l.spec.Axes)), [8][3]float64{}, 0
	for c := range corners {
		for k, d := range turned.Of {
			ends := [2]float64{l.low[d], l.high[d]}
			x[d] = float32(ends[c>>k&1])
		}
		if corners[c] = turned.At(x); corners[c][1] < corners[lowest][1] {
			lowest = c
		}
	}
	l.numbers = l.numbers[:0]
	for _, c := range boxLine {
		if c < 0 {
			l.numbers = append(l.numbers, nan, nan)
		} else {
			l.numbers = append(l.numbers, float32(corners[c][0]), float32(corners[c][1]))
		}
	}
	f.Put("box", l.numbers...)
	l.numbers = l.numbers[:0]
	for k, d := range turned.Of {
		p, q := corners[lowest], corners[lowest^1<<k]
		if math.Hypot(p[0]-q[0], p[1]-q[1]) < shortEdge*(l.About.Hi[0]-l.About.Lo[0]) {
			p[0] = math.NaN()
		}
		l.numbers = append(l.numbers, float32((p[0]+q[0])/2), float32((p[1]+q[1])/2))
		f.PutText(fmt.Sprint("edge", k), l.spec.Axes[d].Name)
	}
	f.Put("edges", l.numbers...)
}

// shortEdge is the length of an edge, as a share of the picture's width, that has no room for a name.
const shortEdge = 0.2

// each adds a row with a number for every particle.
func (l *Live) each(f *wire.Frame, name string, at func(i int) float32) {
	l.numbers = l.numbers[:0]
	for i := range l.About.Particles {
		l.numbers = append(l.numbers, at(i))
	}
	f.Put(name, l.numbers...)
}

// mostFigures is the number of observables that the page shows next to playback at once.
const mostFigures = 3

// Arrays returns the arrays of a file of the run beside its trajectories: the species (N), under the numbers of the
// user's file, an array for each variable (T, M) that is not computed, and the lines that describe the system.
func (l *Live) Arrays(types []int64, macro []float64) (arrays []system.Array) {
	if len(l.spec.Species) > 1 {
		for i, k := range l.Frames.Species { // also of particles that are not in the first frame
			types[i] = int64(k)
		}
		var numbers []int64
		for _, s := range l.spec.Species {
			if n, err := strconv.ParseInt(s.Number, 10, 64); err == nil {
				numbers = append(numbers, n)
			}
		}
		if len(numbers) == len(l.spec.Species) { // otherwise the file named them by texts
			for i, k := range types {
				types[i] = numbers[k-1]
			}
		}
		arrays = append(arrays, system.Array{Name: system.TypesArray, Array: data.NewArray([]int{1, len(types)}, types)})
	}
	for i, o := range l.spec.Observables {
		if o.Of != "" {
			continue
		}
		var column []float64
		for k := i; k < len(macro); k += len(l.spec.Observables) {
			column = append(column, macro[k])
		}
		arrays = append(arrays, system.Array{Name: o.Name, Array: data.NewArray([]int{1, len(column)}, column)})
	}
	var letters []int64
	for _, letter := range []byte(l.spec.Text()) {
		letters = append(letters, int64(letter))
	}
	return append(arrays, system.Array{Name: system.LinesArray, Array: data.NewArray([]int{len(letters)}, letters)})
}

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	if !l.Begun() {
		return
	}
	now := l.Player().Now()
	at["frame"] = fmt.Sprint(now)
	if l.spec.Dt > 0 {
		at["time"] = fmt.Sprintf("%.4g", l.Time())
	}
	for i, v := range l.Macro(now) {
		at[fmt.Sprint("z", i+1)] = setting.Short(v)
	}
}

// Summary implements system.Live.
func (l *Live) Summary(p system.Prediction) string {
	page := l.Page()
	switch {
	case !l.known:
		return page.Say("empty")
	case !l.Begun():
		return page.Say("waiting", struct{ Axes, Variables string }{inWords(strings.Join(l.spec.axisNames(), separator)), inWords(strings.Join(l.spec.variables(), separator))})
	}
	now := l.Player().Now()
	return page.Say("summary", struct {
		system.Prediction
		What         string
		There, Frame int
		Now          float64
	}{p, setting.Capital(inWords(l.spec.Observables[0].Name)), l.there(), now, l.Macro(now)[0]})
}

// inWords returns a name of the user's without the signs that mark up texts of the page.
func inWords(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_*|[]", r) {
			return ' '
		}
		return r
	}, name)
}

// Foreign implements system.Live. What a model of the system was trained on is not known.
func (l *Live) Foreign(bool) string { return "" }

// newPage returns the page of a system.
func newPage(s *Spec, known bool) *system.Page {
	is := map[string]bool{"plane": len(s.Axes) > 1, "space": len(s.Axes) > 2, "solid": s.space() != nil, "parts": len(s.Species) > 1, "unknown": !known, "known": known, "examples": strings.Count(assets.Own, "\noption ") > 1}
	p := system.ReadPage(assets.Own, func(condition string) bool { return is[condition] })
	var figures []wire.Figure
	for i, o := range s.Observables {
		figures = append(figures, wire.Figure{ID: fmt.Sprint("z", i+1), Label: inWords(o.Name), Unit: inWords(o.Unit), Hint: p.Say("observable", struct{ Name string }{inWords(o.Name)}), Fold: i >= mostFigures})
	}
	p.Figures = slices.Concat(figures, p.Figures)
	return p
}
