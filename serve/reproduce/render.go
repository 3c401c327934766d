package reproduce

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/curves"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/learn/sweep"
	"macroscope/serve/figure"
	"macroscope/serve/input"
)

// Render writes the table with this name from the results in the folder: Markdown, a CSV with every
// number, and, for some tables, a figure. All results must exist.
func (g *Graph) Render(dir, name string) error {
	t := g.Find(name)
	if t == nil || t.render == nil {
		return fmt.Errorf("there is no table %q", name)
	}
	return t.render(g.in(dir))
}

func (t *Table) render(d folder, command string) error {
	s, err := t.summarize(d, false)
	if err != nil {
		return err
	}
	path := func(ending string) string { return d.path(t.file() + ending) }
	if err := os.MkdirAll(filepath.Dir(path(".md")), 0o755); err != nil {
		return err
	}
	put := func(ending string, b []byte) error { return replace(path(ending), b) }
	if err := s.write(put, command); err != nil {
		return err
	}
	return replace(path(".md"), []byte("# "+s.markdown(command)))
}

// summary is a table with its results.
type summary struct {
	*Table
	rows     [][]figures // figures of each row and column
	cost     []cost      // cost of each row
	besides  cost        // cost of the model in the additional column
	programs []string    // the programs that made the results
	// rowPrograms lists the programs that made the results outside the additional column.
	rowPrograms []string
}

// figures contains the results of a cell's trainings.
type figures struct {
	sweep.Point                    // the values of the cell's figure
	model.Spread                   // their mean and standard deviation
	results      []*measure.Result // the results that exist; a result without values if the model does not accept the set
	undefined    int               // how many of them have no finite figure
	factor       float64           // mean divided by the published figure; 0 if unknown
}

// of returns the values of the figure with this name.
func (f *figures) of(name string) (values []float64) {
	for _, r := range f.results {
		if v := r.Number(name); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	return values
}

// cost is the time of a row's trainings, and the programs that made the results.
type cost struct {
	trainings int
	seconds   float64 // sum over all cores, averaged over trainings
	programs  []string
}

// summarize reads a table's results. A missing result is an error. In a partial summary it is
// omitted instead.
func (t *Table) summarize(d folder, partial bool) (*summary, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	s := &summary{Table: t}
	for _, row := range t.Rows {
		var of []figures
		for _, c := range row.Cells {
			f := figures{Point: sweep.Point{At: row.with, Set: c.Set}}
			for _, name := range c.Files {
				r, err := c.read(d.path(name))
				if partial && errors.Is(err, fs.ErrNotExist) {
					f.Missing++
				} else if err != nil {
					return nil, err
				} else {
					f.results = append(f.results, r)
				}
			}
			f.Values = f.of(c.Figure)
			for _, r := range f.results {
				if v, has := r.Values[c.Figure]; has && math.IsNaN(v) {
					f.undefined++
				}
			}
			f.Spread = model.SpreadOf(f.Values)
			if f.Published, _ = strconv.ParseFloat(c.Published, 64); f.Published > 0 { // an error gives 0, which means none
				f.factor = f.Mean / f.Published
			}
			of = append(of, f)
		}
		s.rows = append(s.rows, of)
		own := row.cost(d, false)
		s.cost, s.rowPrograms = append(s.cost, own), append(s.rowPrograms, own.programs...)
		if of := row.cost(d, true); of.trainings > 0 {
			s.besides = of
		}
	}
	s.programs = slices.Concat(s.rowPrograms, s.besides.programs)
	for _, names := range []*[]string{&s.programs, &s.rowPrograms} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	return s, nil
}

// cost returns the cost of a row's finished trainings. If `beside` is true, it returns the cost of the
// model in the additional column.
func (r *Row) cost(d folder, beside bool) (c cost) {
	seen := make(map[string]bool)
	for _, cell := range r.Cells {
		for _, f := range cell.Files {
			if cell.Beside != beside || seen[f] {
				continue
			}
			seen[f] = true
			if by := readSpent(d.spentPath(d.maker[f])); by != nil {
				c.trainings++
				c.seconds += by.Training
				c.programs = append(c.programs, by.Program)
			}
		}
	}
	c.seconds /= float64(max(1, c.trainings))
	return c
}

// begun reports whether any result exists.
func (s *summary) begun() bool {
	return slices.ContainsFunc(s.rows, func(of []figures) bool {
		return slices.ContainsFunc(of, func(f figures) bool { return f.results != nil })
	})
}

// write writes the CSV. It also writes the file of a sweep and the figure, if the table has them. The
// function `put` writes the file with some ending.
func (s *summary) write(put func(ending string, b []byte) error, command string) error {
	series, table, err := s.records()
	if err == nil {
		err = put(".csv", table)
	}
	if err == nil && s.experiment != "" {
		err = put(".json", s.sweep(command).Encode())
	}
	if err != nil || s.Over == "" {
		return err
	}
	if !slices.ContainsFunc(series, func(x figure.Series) bool { return x.Len() > 0 }) {
		return nil
	}
	var b bytes.Buffer
	for _, format := range []string{"png", "svg"} {
		b.Reset()
		err := figure.Sweep(&b, format, s.Over, s.Measure, series)
		if err == nil {
			err = put("."+format, b.Bytes())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordsHead is the first line of the CSV.
var recordsHead = []string{"row", "column", "figure", "published", "mean", "sd", "trainings", "values"}

// records returns the CSV, and the columns as curves for the figure.
func (s *summary) records() (series []figure.Series, table []byte, err error) {
	records := [][]string{recordsHead}
	series = make([]figure.Series, len(s.Columns))
	for i, name := range s.Columns {
		series[i].Name = name
	}
	for i, row := range s.Rows {
		for k, c := range row.Cells {
			f := &s.rows[i][k]
			switch {
			case len(f.Values) > 0:
				series[k].Add(row.At, f.Mean, f.SD)
				records = append(records, entry(row.Name, s.Columns[k], c.Figure, c.Published, f.Values))
				for _, name := range c.Also {
					if values := f.of(name); len(values) > 0 {
						records = append(records, entry(row.Name, s.Columns[k], name, "", values))
					}
				}
			case c.Files == nil && c.Published != "":
				records = append(records, entry(row.Name, s.Columns[k], "", c.Published, nil))
				if f.Published > 0 {
					series[k].Add(row.At, f.Published, 0)
				}
			}
		}
	}
	var b bytes.Buffer
	err = csv.NewWriter(&b).WriteAll(records)
	return series, b.Bytes(), err
}

// entry returns a line of the CSV.
func entry(row, column, figure, published string, values []float64) []string {
	of := []string{curves.Text(row), curves.Text(column), figure, curves.Text(published), "", "", fmt.Sprint(len(values)), ""}
	if len(values) > 0 {
		spread := model.SpreadOf(values)
		of[4], of[5] = fmt.Sprintf("%.6g", spread.Mean), fmt.Sprintf("%.6g", spread.SD)
		var all []string
		for _, v := range values {
			all = append(all, fmt.Sprintf("%.9g", v))
		}
		of[7] = strings.Join(all, " ")
	}
	return of
}

// markdown returns the table as Markdown, followed by the rows that fall short of the paper. The
// first line is the text of a heading. The caller adds the heading's marks.
func (s *summary) markdown(command string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n\n%s", s.Title, s.Measure)
	if s.Conditions != "" {
		text.WriteString(", " + s.Conditions)
	}
	text.WriteString("; mean ± standard deviation over trainings with other seeds")
	if slices.ContainsFunc(s.Rows, func(r Row) bool { return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Published != "" }) }) {
		text.WriteString("; × is how many times the published figure")
	}
	text.WriteString(".\n\n")
	head := append(append([]string{""}, s.Columns...), "trainings", "core seconds each")
	fmt.Fprintf(&text, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	var short []string
	for i, row := range s.Rows {
		line := []string{row.Name}
		for k, c := range row.Cells {
			f := &s.rows[i][k]
			line = append(line, f.show(&c))
			if f.factor > 1 {
				short = append(short, fmt.Sprintf("%s, %s: %s times the published figure", row.Name, s.Columns[k], times(f.factor)))
			}
		}
		switch of := s.cost[i]; {
		case of.trainings > 0:
			line = append(line, fmt.Sprint(of.trainings), fmt.Sprintf("%.0f", of.seconds))
		default:
			line = append(line, "", "")
		}
		fmt.Fprintf(&text, "| %s |\n", strings.Join(line, " | "))
	}
	if s.besides.trainings > 0 {
		fmt.Fprintf(&text, "\nThe column “%s” is of %s: trainings %d, core seconds each %.0f for all rows.\n", s.beside.column, s.beside.experiment, s.besides.trainings, s.besides.seconds)
	}
	if len(short) > 0 {
		fmt.Fprintf(&text, "\nWorse than published:\n\n- %s\n", strings.Join(short, "\n- "))
	}
	if order := s.order(); len(order) > 0 {
		fmt.Fprintf(&text, "\n%s\n\n- %s\n", orderNote, strings.Join(order, "\n- "))
	}
	fmt.Fprintf(&text, "\nMade by `%s`", command)
	if len(s.programs) > 0 {
		fmt.Fprintf(&text, " with the program of %s", strings.Join(s.programs, ", "))
	}
	text.WriteString(".\n")
	return text.String()
}

// show returns a cell as text.
func (f *figures) show(c *Cell) string {
	switch {
	case f.Missing > 0 && f.results == nil:
		return "not run"
	case c.Files == nil && c.Published != "":
		return c.Published
	case len(f.Values) == 0 && f.undefined > 0:
		return "not finite"
	case len(f.Values) == 0:
		return "n/a"
	}
	mean, sd, unit, scale := "%.2e", "%.0e", "", 1.0
	switch c.Form {
	case Decimal:
		mean, sd = "%.3f", "%.3f"
	case Percent:
		mean, sd, unit, scale = "%+.1f", "%.1f", " %", 100
	}
	shown := fmt.Sprintf(mean, scale*f.Mean)
	if len(f.Values) > 1 {
		shown += " ± " + fmt.Sprintf(sd, scale*f.SD)
	}
	shown += unit
	if f.undefined > 0 {
		shown += fmt.Sprintf(" (%d more not finite)", f.undefined)
	}
	if f.factor > 0 {
		mark := ""
		if f.factor > 1 {
			mark = "**"
		}
		shown += fmt.Sprintf(" (%s× %s%s)", mark, times(f.factor), mark)
	}
	return shown
}

// The function `times` returns a factor as text.
func times(v float64) string {
	switch {
	case v >= 10:
		return fmt.Sprintf("%.0f", v)
	case v > 0.95 && v < 1.05:
		return fmt.Sprintf("%.3g", v) // fewer digits would hide the difference from 1
	}
	return fmt.Sprintf("%.2g", v)
}

// read returns the figures of the cell's set from a file of results. If the file does not have them, because
// the model does not accept the set, the result has no values.
func (c *Cell) read(path string) (*measure.Result, error) {
	b, err := input.Read(path, maxResults)
	if err != nil {
		return nil, err
	}
	of, err := readResults(b)
	if err != nil {
		return nil, damaged(path, err)
	}
	i := slices.IndexFunc(of.all, c.measures)
	if i < 0 && slices.Contains(of.impossible, c.Set) {
		return new(measure.Result), nil
	}
	if i >= 0 {
		if _, has := of.all[i].Values[c.Figure]; has {
			return of.all[i], nil
		}
	}
	return nil, damaged(path, fmt.Errorf("there is no figure %q%s", c.Figure, strings.TrimSuffix(" of the test "+c.Set, " of the test ")))
}

// damaged says what to do about a file of results that cannot be used.
func damaged(path string, err error) error {
	return fmt.Errorf("%s is not what eval prints: %w; delete it, and the same command makes it again", path, err)
}

// The method `measures` reports whether a result in a file belongs to the cell. The result must have the
// test set of the cell. For a tunable model, it must also have the ε and the ẑ dim of the cell.
func (c *Cell) measures(of *measure.Result) bool {
	for name, v := range c.At {
		if of.Number(name) != v {
			return false
		}
	}
	return c.Set == "" || of.Set == c.Set
}

// Publish writes the tables and figures so far into a folder: a page, one CSV per table, and
// the records from which Adopt takes results. The page says which tables are incomplete. Files that are
// not of an earlier Publish are kept, and the function `say` is told so.
func (g *Graph) Publish(tables []*Table, dir, to, title, command string, say func(string)) error {
	d := g.in(dir)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	p, err := openPublication(to, say)
	if err != nil {
		return err
	}
	if err := d.keep(p); err != nil {
		return err
	}
	var page strings.Builder
	fmt.Fprintf(&page, "# %s\n\nWritten by `%s`, which takes the results in records.jsonl instead of training again.\n", title, command)
	for _, t := range tables {
		s, err := t.summarize(d, true)
		if err != nil {
			return err
		}
		if !s.begun() {
			fmt.Fprintf(&page, "\n## %s\n\nNot run yet: `%s -only %q`.\n", t.Title, command, t.Name)
			continue
		}
		name := filepath.Base(t.file())
		if err := s.write(func(ending string, b []byte) error { return p.put(name+ending, b) }, command); err != nil {
			return err
		}
		fmt.Fprintf(&page, "\n## %s", s.markdown(fmt.Sprintf("%s -only %q", command, t.Name)))
		if _, err := os.Stat(filepath.Join(to, name+".png")); err == nil {
			fmt.Fprintf(&page, "\n![%s](%s.png)\n", t.Title, name)
		}
		for _, f := range t.figures {
			if strings.HasSuffix(f.Out[0], ".png") && d.done(f) {
				fmt.Fprintf(&page, "\n![%s](%s)\n", f.Name, filepath.Base(f.Out[0]))
			}
		}
	}
	if err := p.put("README.md", []byte(page.String())); err != nil {
		return err
	}
	return p.close()
}

// Compare returns the number of output files that are the same in both folders, and the names of
// all others, missing files included. It ignores times.
func (g *Graph) Compare(a, b string) (same int, differ []string) {
	for _, t := range g.Tasks {
		for _, name := range t.Out {
			if t.Group == tableTasks && !strings.HasSuffix(name, ".csv") {
				continue // this file contains times
			}
			x, err1 := timeless(g.in(a).path(name))
			y, err2 := timeless(g.in(b).path(name))
			if err1 != nil || err2 != nil || x != y {
				differ = append(differ, name)
				continue
			}
			same++
		}
	}
	return same, differ
}

// timeless returns a file's content without the seconds that eval prints.
func timeless(path string) (string, error) {
	b, err := input.Read(path, maxResults)
	if err != nil || !strings.HasSuffix(path, ".json") {
		return string(b), err
	}
	var o map[string]any
	if err := json.Unmarshal(b, &o); err != nil {
		return "", err
	}
	delete(o, "seconds")
	b, err = json.Marshal(o)
	return string(b), err
}
