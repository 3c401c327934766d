package reproduce

import (
	"slices"
	"strings"
)

// Table is one of the tables: its cells, and the tasks that make them.
type Table struct {
	Name, Title string
	Measure     string   // what the cells are
	Conditions  string   // under which, in words; "" where there is nothing to say
	Columns     []string // after the row's name
	Rows        []Row
	Over        string // the quantity that rows go through, for a figure; "" for none
	experiment  string // SYSTEM/METHOD@PRESET if the table is a sweep, otherwise ""
	tasks       []*Task
	figures     []*Task // which draw models of the table
}

// Row is a line of a table: text as published, or figures over several trainings.
type Row struct {
	Name  string
	At    float64 // its value of Over
	Cells []Cell
	with  map[string]float64 // of a sweep: the fields that it is about
	// Published are the paper's figures of the columns; nil or "": not published.
	Published []string
}

// Cell is a text, or the figure of a set of trajectories in results files.
type Cell struct {
	Text        string
	Files       []string
	Set, Figure string
	Form        Form     // in which the figure is shown
	Also        []string // figures for the CSV alone
}

// Form is how a table shows a figure.
type Form int

// The forms.
const (
	Scientific Form = iota // with a power of ten
	Decimal
	Percent // of 1, with its sign
)

// Tasks returns the tasks of the tables: for each its trainings, its figures (nothing waits
// for them), and its own task.
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
