package reproduce

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"macroscope/model/learn/method"
	"macroscope/model/learn/sweep"
	"macroscope/serve/input"
	"macroscope/serve/output"
)

// NewSweep returns the table of a sweep, for use by SweepGraph and WriteSweep. `flags` are flags that
// every task gets.
func NewSweep(systems method.Systems, s Size, of sweep.Of, flags ...string) (*Table, error) {
	b := &builder{size: s, systems: systems, flags: flags}
	t := &Table{Name: "sweep", Title: "Sweep of " + of.Spec.String()}
	err := b.sweep(t, training{of.Spec, of.Changes}, of.Swept, of.Grid)
	t.tasks = b.tasks
	return t, err
}

// SweepGraph returns the tasks of a sweep. WriteSweep writes its files.
func (t *Table) SweepGraph() (*Graph, error) { return NewGraph(t.tasks) }

// TableOf returns the path of the CSV that belongs to the JSON file of a sweep.
func TableOf(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".csv" }

// WriteSweep writes the results of a sweep so far, of which g is the SweepGraph. It writes a JSON file for the page,
// and a CSV. If the same command wrote both when results were
// missing, it goes on from them. It returns in words how many results
// of the whole sweep are written.
func (t *Table) WriteSweep(g *Graph, dir string, page, table *output.File, command string) (written string, err error) {
	s, err := t.summarize(g.in(dir), true)
	if err != nil {
		return "", err
	}
	_, records, err := s.records()
	if err != nil {
		return "", err
	}
	if unfinished(page.Path, command) {
		page.GoesOnFrom(page.Path)
		if b, err := input.Read(table.Path, maxResults); err == nil && bytes.HasPrefix(b, []byte(strings.Join(recordsHead, ","))) {
			table.GoesOnFrom(table.Path)
		}
	}
	if err := page.Write(content(s.sweep(command).Encode())); err != nil {
		return "", err
	}
	return s.written(), table.Write(content(records))
}

// written says in words how many results a summary has.
func (s *summary) written() string {
	done, all, undefined := 0, 0, 0
	for i, row := range s.Rows {
		for k, c := range row.Cells {
			if f := &s.rows[i][k]; !c.Beside {
				n := len(f.Values) + f.undefined
				done, all, undefined = done+n, all+n+f.Missing, undefined+f.undefined
			}
		}
	}
	text := fmt.Sprintf("%d of %d results", done, all)
	if undefined > 0 {
		text += fmt.Sprintf("; %d of them not finite, and in no mean", undefined)
	}
	return text
}

// unfinished reports whether a command wrote the file for the page at a path when results were missing.
func unfinished(path, command string) bool {
	var f sweep.File
	b, err := input.Read(path, maxResults)
	return err == nil && json.Unmarshal(b, &f) == nil && f.Command == command &&
		slices.ContainsFunc(f.Points, func(p sweep.Point) bool { return p.Missing > 0 })
}

// sweep fills a table with a row for every configuration of a sweep.
func (b *builder) sweep(t *Table, of training, swept []sweep.Swept, grid bool) error {
	t.experiment = b.spec(of).String()
	own, _, err := b.config(of)
	if err != nil {
		return err
	}
	t.Measure = own.Measure().Words
	t.Conditions = "networks and schedule of the preset " + b.spec(of).Preset
	if len(swept) == 1 {
		t.Over = sweep.Label(swept[0].Field)
	}
	list, err := (&sweep.Of{Spec: b.spec(of), Changes: of.changes, Swept: swept, Grid: grid}).Configurations(b.systems)
	if err != nil {
		return err
	}
	for _, k := range list {
		row := Row{Name: k.Name, with: k.At}
		if len(swept) == 1 {
			row.At = k.At[swept[0].Field]
		}
		one := of
		one.changes = k.Changes
		files, err := b.results(one)
		if err != nil {
			return err
		}
		t.Columns, row.Cells = cells(&own, "", files)
		row.Cells[0].Published = k.Published
		t.Rows = append(t.Rows, row)
	}
	return nil
}

// sweep returns the content of a sweep's file.
func (s *summary) sweep(command string) *sweep.File {
	out := &sweep.File{Experiment: s.experiment, Measure: s.Measure, Points: []sweep.Point{}, Command: command, Programs: s.rowPrograms}
	for i, row := range s.Rows {
		if row.with == nil {
			continue // a row of another method
		}
		out.Fields = sweep.Fields(row.with)
		for k, c := range row.Cells {
			if f := &s.rows[i][k]; !c.Beside && len(f.Values)+f.Missing > 0 {
				out.Points = append(out.Points, f.Point)
			}
		}
	}
	return out
}

// beside adds a column to a table of separate trainings. The column contains the error of one
// tunable model at the ε and ẑ dim of each row.
func (b *builder) beside(t *Table, of training) error {
	c, _, err := b.config(of)
	if err != nil {
		return err
	}
	files, err := b.results(of)
	if err != nil {
		return err
	}
	names, cells := cells(&c, "", files)
	t.beside = &beside{names[0] + ", one model for all rows", b.spec(of).String()}
	t.Columns = append(t.Columns, t.beside.column)
	low, high, zdims := c.Tuning().Range()
	for i := range t.Rows {
		r := &t.Rows[i]
		eps, zdim := r.with["eps"], r.with["encoder.zdim"]
		var cell Cell // an empty cell, shown as n/a
		if eps >= low && eps <= high && slices.Contains(zdims, int(zdim)) {
			cell = Cell{Files: files, Set: cells[0].Set, Figure: cells[0].Figure, At: map[string]float64{"zdim": zdim}, Beside: true}
			if !c.HasDynamics() {
				cell.At["eps"] = eps
			}
		}
		r.Cells = append(r.Cells, cell)
	}
	return nil
}
