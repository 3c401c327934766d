package frames

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/setting"
)

// Observed is a table of observables beside the trajectories: a row for each frame of each run, with the columns
// run, frame (or step, or time) and one for each observable. A table of a single run needs no column run.
type Observed struct {
	Names []string // names of the observables (M)
	Units []string // their units; "": not stated

	file   string
	rows   *data.Table
	run    int     // column of the run, after the frame and the observables; -1: there is none
	clocks []clock // what the numbers of the frames can be
}

// clock is a way to number the frames of a run.
type clock struct {
	name   string // for sentences
	of     func(r *RunFrames) []float64
	offset float64
	more   bool // whether the table may have rows of other frames
}

// clocks are all ways to number frames, the best first.
var clocks = []clock{
	{"step", func(r *RunFrames) []float64 { return r.Steps }, 0, true},
	{"time", func(r *RunFrames) []float64 { return r.Times }, 0, true},
	{"number from 0", (*RunFrames).numbers, 0, false},
	{"number from 1", (*RunFrames).numbers, 1, false},
}

// RunFrames is a run as a table of observables refers to it.
type RunFrames struct {
	Names        []string // names of its files
	Run          string   // its name in the column run of its file; "": the file has no such column
	Frames       int
	Steps, Times []float64 // (T), as the file tells them; nil: it does not
}

func (r *RunFrames) numbers() []float64 {
	k := make([]float64, r.Frames)
	for i := range k {
		k[i] = float64(i)
	}
	return k
}

// String returns the name of the run in sentences.
func (r *RunFrames) String() string {
	if r.Run != "" {
		return "run " + r.Run
	}
	return path.Base(r.Names[0])
}

// named reports whether a table means this run by a name: the name of the run, or of one of its files, perhaps without endings.
func (r *RunFrames) named(name string) bool {
	if r.Run != "" && sameName(r.Run, name) {
		return true
	}
	return slices.ContainsFunc(r.Names, func(file string) bool {
		rest, is := strings.CutPrefix(path.Base(file), name)
		return is && name != "" && (rest == "" || rest[0] == '.')
	})
}

// sameName reports whether names are equal, or numbers that are equal: a table may have 7.0 where another has 7.
func sameName(a, b string) bool {
	x, bad := strconv.ParseFloat(a, 64)
	y, worse := strconv.ParseFloat(b, 64)
	return a == b || bad == nil && worse == nil && x == y
}

// ReadObserved reads a table of observables from a file with this name. Errors name the file and the line.
func ReadObserved(file string, in io.Reader) (*Observed, error) {
	o := &Observed{file: path.Base(file), run: -1}
	text, err := io.ReadAll(io.LimitReader(in, data.MaxFileBytes+1))
	if err == nil && len(text) > data.MaxFileBytes {
		err = fmt.Errorf("the table is over the limit of %.3g MB; keep fewer numbers", data.MaxFileBytes/1e6)
	}
	if err == nil {
		o.rows, err = data.ReadColumns(string(text), maxTableValues, func(header []string, _ int) ([]data.Column, error) { return o.choose(header) }, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.file, err)
	}
	return o, nil
}

// choose finds the columns.
func (o *Observed) choose(header []string) (chosen []data.Column, err error) {
	at := map[column]int{}
	for i, name := range header {
		if name != "" && slices.ContainsFunc(header[:i], func(s string) bool { return strings.EqualFold(s, name) }) {
			return nil, fmt.Errorf("two columns have the name %s; keep one, or give them different names", setting.Quote(name))
		}
		kind, _ := kindOf(name)
		switch {
		case kind == track, strings.EqualFold(name, "file"):
			kind = run
		case kind == timeOf:
			kind = frameOf
		}
		if _, taken := at[kind]; (kind == run || kind == frameOf) && !taken {
			at[kind] = i
		} else if name != "" { // pandas gives its index no name
			name, unit := Divide(name)
			o.Names, o.Units = append(o.Names, name), append(o.Units, unit)
			chosen = append(chosen, data.Column{Index: i})
		}
	}
	frame, has := at[frameOf]
	switch {
	case !has:
		return nil, fmt.Errorf("no column tells the frames apart: the columns are %s; name them run, frame, and then the observables", data.List(header))
	case chosen == nil:
		return nil, fmt.Errorf("the columns are %s, and none is an observable; add one", data.List(header))
	}
	chosen = append([]data.Column{{Index: frame}}, chosen...)
	if i, has := at[run]; has {
		o.run, chosen = len(chosen), append(chosen, data.Column{Index: i, Names: true})
	}
	o.clocks = clocks
	switch name := strings.ToLower(header[frame]); {
	case strings.Contains(name, "step"):
		o.clocks = clocks[:1]
	case !strings.Contains(name, "frame"):
		o.clocks = clocks[1:2]
	}
	return chosen, nil
}

// value returns a column of a row: the frame, or observable i in column 1+i.
func (o *Observed) value(row, column int) float64 { return o.rows.Values[row*o.rows.Columns+column] }

// at begins an error about a row.
func (o *Observed) at(row int, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %s", o.file, o.rows.Lines[row], fmt.Sprintf(format, args...))
}

// Match returns the observables (T, M) of each run, and says which columns tell runs and frames apart. It
// returns an error unless there is one row for each frame of each run.
func (o *Observed) Match(runs []RunFrames) (values [][]float64, said string, err error) {
	of, by, others, err := o.runs(runs)
	if err != nil {
		return nil, "", err
	}
	for e, rows := range of {
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(o.value(a, 0), o.value(b, 0)) })
		for i := 1; i < len(rows); i++ {
			if v := o.value(rows[i], 0); v == o.value(rows[i-1], 0) {
				return nil, "", o.at(rows[i], "frame %g of %s is in line %d already; keep one of them", v, &runs[e], o.rows.Lines[rows[i-1]])
			}
		}
	}
	var best error // of the clock with the most rows
	most := 0
	for _, c := range o.clocks {
		values, more, matched, err := o.match(c, runs, of)
		if err == nil {
			said = fmt.Sprintf("observables %s from %s, with frames by their %s", And(o.Names), o.file, c.name)
			if by != "" {
				said += " and runs by their " + by
			}
			if more += others; more > 0 {
				said += fmt.Sprintf(" (%s of no frame)", setting.Count(more, "row is", "rows are"))
			}
			return values, said, nil
		}
		if best == nil || matched > most {
			best, most = err, matched
		}
	}
	return nil, "", best
}

// runs returns the rows of each run, what names the runs, and the number of rows of other runs.
func (o *Observed) runs(runs []RunFrames) (of [][]int, by string, others int, err error) {
	of = make([][]int, len(runs))
	if o.run < 0 {
		if len(runs) > 1 {
			return nil, "", 0, fmt.Errorf("%s: it has no column run, and there are %d runs; add one with the names of their files", o.file, len(runs))
		}
		for row := range o.rows.Rows() {
			of[0] = append(of[0], row)
		}
		return of, "", 0, nil
	}
	index := make([]int, len(o.rows.Names)) // of the run of each name; -1: none
	any := false
	for i, name := range o.rows.Names {
		index[i] = slices.IndexFunc(runs, func(r RunFrames) bool { return r.named(name) })
		any = any || index[i] >= 0
	}
	if by = "files"; runs[0].Run != "" {
		by = "names"
	}
	if !any {
		by = "numbers from " + o.numbered(index, runs)
	}
	for row := range o.rows.Rows() {
		name := int(o.value(row, o.run))
		switch e := index[name]; {
		case e >= 0:
			of[e] = append(of[e], row)
		case any:
			others++
		default:
			return nil, "", 0, o.at(row, "there is no run %s; use the names of the files, such as %s, or their numbers from 0 or 1", setting.Quote(o.rows.Names[name]), &runs[0])
		}
	}
	return of, by, others, nil
}

// numbered takes the names of runs for their numbers, in the order of their names, and returns the first of these
// numbers. The index of what is no such number stays -1.
func (o *Observed) numbered(index []int, runs []RunFrames) string {
	order := make([]int, len(runs))
	for e := range order {
		order[e] = e
	}
	slices.SortStableFunc(order, func(a, b int) int { return natural(runs[a].Names[0], runs[b].Names[0]) })
	from := 1
	if slices.Contains(o.rows.Names, "0") {
		from = 0
	}
	for i, name := range o.rows.Names {
		if k, err := strconv.Atoi(name); err == nil && k >= from && k-from < len(runs) {
			index[i] = order[k-from]
		}
	}
	return strconv.Itoa(from)
}

// near is how far the time of a row may be from the time of its frame, as a share of the time between two frames.
const near = 0.01

// match assigns rows to frames by a clock. It counts the rows that are of no frame, and the frames that have a row.
func (o *Observed) match(c clock, runs []RunFrames, of [][]int) (values [][]float64, more, matched int, err error) {
	m := len(o.Names)
	for e := range runs {
		r, rows := &runs[e], of[e]
		keys := c.of(r)
		if keys == nil {
			return nil, 0, 0, fmt.Errorf("%s: its frames have a %s, and the files tell none; name the column frame, and number the frames from 0", o.file, c.name)
		}
		far := 0.0
		if n := len(keys) - 1; n > 0 {
			far = near * math.Abs(keys[n]-keys[0]) / float64(n)
		}
		run := make([]float64, 0, len(keys)*m)
		last := len(rows)
		for _, key := range keys {
			key += c.offset
			i, _ := slices.BinarySearchFunc(rows, key-far, func(row int, key float64) int { return cmp.Compare(o.value(row, 0), key) })
			if i == len(rows) || o.value(rows[i], 0) > key+far {
				if err == nil {
					err = fmt.Errorf("%s: there is no row for the frame with the %s %g of %s; add it", o.file, c.name, key, r)
				}
				continue
			}
			last--
			matched++
			run = append(run, o.rows.Values[rows[i]*o.rows.Columns+1:][:m]...)
		}
		if more += last; last > 0 && !c.more && err == nil {
			i := slices.IndexFunc(rows, func(row int) bool { return o.value(row, 0) > keys[len(keys)-1]+c.offset })
			if i < 0 {
				i = 0
			}
			err = o.at(rows[i], "%s has no frame with the %s %g; take that row out", r, c.name, o.value(rows[i], 0))
		}
		values = append(values, run)
	}
	return values, more, matched, err
}
