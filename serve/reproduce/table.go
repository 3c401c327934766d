package reproduce

import (
	"slices"
	"strings"
)

// Table is one of the tables: its cells, and the tasks that make them.
type Table struct {
	Name, Title string
	Measure     string   // what the cells measure
	Conditions  string   // the conditions in words; "" for none
	Columns     []string // after the column of row names
	Rows        []Row
	Over        string // the quantity that varies over the rows, for a figure; "" for none
	experiment  string // SYSTEM/METHOD@PRESET if the table is a sweep, otherwise ""
	tasks       []*Task
	figures     []*Task // tasks that draw models of the table
	beside      *beside // nil if the table has no such column
}

// Row is a line of a table: text as published, or figures over several trainings.
type Row struct {
	Name  string
	At    float64 // value of Over in this row
	Cells []Cell
	with  map[string]float64 // in a sweep: the values of the fields that vary
	// Published are the paper's figures in each column; nil or "": not published.
	Published []string
}

// beside is the column of a tunable model in a table of separate trainings.
type beside struct{ column, experiment string }

// Cell is a text, or the figure of a set of trajectories in results files.
type Cell struct {
	Text        string
	Files       []string
	Set, Figure string
	At          map[string]float64 // of a tunable model: the place, as eps or zdim; nil: the only one
	Beside      bool               // whether the files are of another model than the row's
	Form        Form               // in which the figure is shown
	Also        []string           // figures for the CSV only
}

// Form is how a table shows a figure.
type Form int

// The forms.
const (
	Scientific Form = iota // with a power of ten
	Decimal
	Percent // of 1, with its sign
)

// Tasks returns the tasks of the tables: each table's trainings and figures, and the table's own
// task. No task waits for the figures.
func Tasks(tables []*Table, common []string) (tasks []*Task) {
	for _, t := range tables {
		own := &Task{
			Name: t.Name, Group: "tables", Args: append([]string{"reproduce", "-render", t.Name, "-dir", "."}, common...), Out: []string{t.file() + ".md", t.file() + ".csv"},
		}
		if t.Over != "" {
			own.Out = append(own.Out, t.file()+".png", t.file()+".svg")
		}
		if t.experiment != "" {
			own.Out = append(own.Out, t.file()+".json")
		}
		for _, r := range t.Rows {
			for _, c := range r.Cells {
				for _, f := range c.Files {
					if !slices.Contains(own.In, f) {
						own.In = append(own.In, f)
					}
				}
			}
		}
		tasks = append(append(append(tasks, t.tasks...), t.figures...), own)
	}
	return tasks
}

func (t *Table) file() string { return "paper/" + strings.ReplaceAll(t.Name, " ", "-") }
