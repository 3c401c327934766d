package reproduce

import (
	"slices"
	"strconv"
	"strings"
)

// Table is a table of a reproduction: its cells, and the tasks that compute them.
type Table struct {
	Name, Title string
	Measure     string   // what the cells contain
	Conditions  string   // conditions of the measurement in words; "" for none
	Columns     []string // columns after the column of row names
	Rows        []Row
	Over        string // quantity that varies over the rows, for a figure; "" if there is none
	experiment  string // SYSTEM/METHOD@PRESET if the table is a sweep, otherwise ""
	tasks       []*Task
	figures     []*Task // tasks that draw pictures of the table's models
	beside      *beside // additional column, or nil
}

// Row is a row of a table. Its cells contain published texts or our figures. Each of our figures
// summarises several trainings.
type Row struct {
	Name  string
	At    float64 // value of the quantity Table.Over in this row
	Cells []Cell
	// method is the name of our method, or "" for published rows and for variants of a method.
	method string
	with   map[string]float64 // in a sweep: the values of the fields that vary
}

// beside is an additional column in a table of separate trainings. The column is for a tunable
// model.
type beside struct{ column, experiment string }

// Cell is the figure for a set of trajectories, read from files of results, or only the paper's figure.
type Cell struct {
	Files       []string // nil: only the paper's figure is shown
	Published   string   // the paper's figure; "" or "n/a" if there is none
	Set, Figure string
	At          map[string]float64 // eps and zdim of a tunable model; nil for others
	Beside      bool               // whether the cell is in the additional column
	Form        Form               // form in which the figure is shown
	Also        []string           // further figures, only for the CSV
}

// Form is how a table shows a figure.
type Form int

// The forms.
const (
	Scientific Form = iota // with a power of ten
	Decimal
	Percent // a fraction in percent, with + or -
)

// Command returns the command line of reproduce with some flags, without the number of workers.
func Command(flags []string) string {
	return "macroscope reproduce " + strings.Join(withoutWorkers(flags), " ")
}

// tableTasks is the group of tasks that make tables.
const tableTasks = "tables"

// Tasks returns the tasks of the tables: for each table its trainings, the pictures of its models,
// and the task that makes the table. No task waits for the pictures. `common` are the flags of the
// command reproduce with which it makes the same tasks.
func Tasks(tables []*Table, common []string) (tasks []*Task) {
	command := Command(common)
	for _, t := range tables {
		own := &Task{
			Name: t.Name, Group: tableTasks, Args: append([]string{"reproduce", "-render", t.Name, "-dir", "."}, common...), Out: []string{t.file() + ".md", t.file() + ".csv"},
			render: func(d folder) error { return t.render(d, command+" -only "+strconv.Quote(t.Name)) },
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
