package reproduce

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

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
	if err := s.write(path, command); err != nil {
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

// figures contains the values of a cell.
type figures struct {
	missing  int  // number of missing trainings
	read     bool // whether a result exists; it might lack the figure
	values   []float64
	mean, sd float64              // mean and standard deviation of the values; sd is 0 for a single value
	also     map[string][]float64 // other figures of the same trainings
	factor   float64              // mean divided by the published figure; 0 if unknown
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
		for i, c := range row.Cells {
			f := figures{also: make(map[string][]float64)}
			for _, name := range c.Files {
				err := c.read(d.path(name), &f)
				if partial && errors.Is(err, fs.ErrNotExist) {
					f.missing++
				} else if err != nil {
					return nil, err
				} else {
					f.read = true
				}
			}
			f.mean, f.sd = meanAndSD(f.values)
			if _, published := row.published(i); published > 0 {
				f.factor = f.mean / published
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
		return slices.ContainsFunc(of, func(f figures) bool { return f.read })
	})
}

// write writes the CSV. It also writes the file of a sweep and the figure, if the table has them. The
// function `path` returns the path of a file with some ending.
func (s *summary) write(path func(ending string) string, command string) error {
	series, table, err := s.records()
	if err == nil {
		err = replace(path(".csv"), table)
	}
	if err == nil && s.experiment != "" {
		err = replace(path(".json"), s.sweep(command).Encode())
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
			err = replace(path("."+format), b.Bytes())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// records returns the CSV, and the columns as curves for the figure.
func (s *summary) records() (series []figure.Series, table []byte, err error) {
	records := [][]string{{"row", "column", "figure", "published", "mean", "sd", "trainings", "values"}}
	series = make([]figure.Series, len(s.Columns))
	for i, name := range s.Columns {
		series[i].Name = name
	}
	for i, row := range s.Rows {
		for k, c := range row.Cells {
			f := &s.rows[i][k]
			switch {
			case len(f.values) > 0:
				series[k].Add(row.At, f.mean, f.sd)
				published, _ := row.published(k)
				records = append(records, entry(row.Name, s.Columns[k], c.Figure, published, f.values))
				for _, name := range c.Also {
					if values := f.also[name]; len(values) > 0 {
						records = append(records, entry(row.Name, s.Columns[k], name, "", values))
					}
				}
			case c.Text != "":
				records = append(records, entry(row.Name, s.Columns[k], "", c.Text, nil))
				if v, err := strconv.ParseFloat(c.Text, 64); err == nil {
					series[k].Add(row.At, v, 0)
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
	of := []string{row, column, figure, published, "", "", fmt.Sprint(len(values)), ""}
	if len(values) > 0 {
		mean, sd := meanAndSD(values)
		of[4], of[5] = fmt.Sprintf("%.6g", mean), fmt.Sprintf("%.6g", sd)
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
	if slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Published != nil }) {
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
	text := c.Text
	switch {
	case f.missing > 0 && !f.read:
		return "not run"
	case len(f.values) == 0 && text == "":
		return "n/a"
	case len(f.values) == 0:
		return text
	}
	mean, sd, unit, scale := "%.2e", "%.0e", "", 1.0
	switch c.Form {
	case Decimal:
		mean, sd = "%.3f", "%.3f"
	case Percent:
		mean, sd, unit, scale = "%+.1f", "%.1f", " %", 100
	}
	shown := fmt.Sprintf(mean, scale*f.mean)
	if len(f.values) > 1 {
		shown += " ± " + fmt.Sprintf(sd, scale*f.sd)
	}
	shown += unit
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

// meanAndSD returns the mean and the standard deviation of values. The standard deviation of a
// single value is 0.
func meanAndSD(values []float64) (mean, sd float64) {
	switch len(values) {
	case 0:
		return 0, 0
	case 1:
		return values[0], 0
	}
	return stat.MeanStdDev(values, nil)
}

// read reads the cell's figures from one file of results, and appends them to the lists in `to`. A
// figure that the method cannot have is not in the file, and is left out.
func (c *Cell) read(path string, to *figures) error {
	b, err := input.Read(path, maxResults)
	if err != nil {
		return err
	}
	var r struct {
		Tests []map[string]any `json:"tests"`
	}
	single := map[string]any{}
	if err = json.Unmarshal(b, &r); err == nil {
		err = json.Unmarshal(b, &single)
	}
	if err != nil {
		return fmt.Errorf("%s is not what eval prints: %w; delete it, and the same command makes it again", path, err)
	}
	of := single
	if c.Set != "" || c.At != nil {
		of = nil
		for _, t := range r.Tests {
			if c.measures(t) {
				of = t
			}
		}
	}
	if v, ok := of[c.Figure].(float64); ok {
		to.values = append(to.values, v)
	}
	for _, name := range c.Also {
		if v, ok := of[name].(float64); ok {
			to.also[name] = append(to.also[name], v)
		}
	}
	return nil
}

// The method `measures` reports whether a measurement in a file of results belongs to the cell. The
// measurement must have the test set of the cell. For a tunable model, it must also have the ε and
// the ẑ dim of the cell.
func (c *Cell) measures(of map[string]any) bool {
	for name, v := range c.At {
		if of[name] != v {
			return false
		}
	}
	return c.Set == "" || of["set"] == c.Set
}

// Publish writes the tables and figures so far into a folder: a page, one CSV per table, and
// the records from which Adopt takes results. The page says which tables are incomplete.
func (g *Graph) Publish(tables []*Table, dir, to, title, command string) error {
	d := g.in(dir)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	if err := d.keep(to); err != nil {
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
		if err := s.write(func(ending string) string { return filepath.Join(to, name+ending) }, command); err != nil {
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
	return replace(filepath.Join(to, "README.md"), []byte(page.String()))
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
