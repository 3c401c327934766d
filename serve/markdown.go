package main

import (
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/gonum/stat"

	"macroscope/model/experiment"
	"macroscope/model/setting"
	"macroscope/serve/reproduce"
)

// printPredictions prints means and standard deviations over the trainings
// (seeds of each variant) beside the paper's rows.
func printPredictions(w io.Writer, preset string, m *experiment.Model, all []variant, results [][]*result) {
	c := &m.Config
	measure := "MRE"
	if c.Traits.Stochastic {
		measure = "MMD"
	}
	t := markdown{out: w}
	t.cells = append(t.cells, measure)
	for _, test := range m.System.Tests() {
		t.tests, t.cells = append(t.tests, test.Name), append(t.cells, test.Name)
	}
	t.head()
	for _, r := range reproduce.Published[c.Spec.System] {
		t.cells = append(append(t.cells, r.Name), r.Cells[:]...)
		t.end()
	}
	own := "Macroscope, "
	if method, err := experiment.FindMethod(c.Spec.Method); err == nil && method.Name != "flow" {
		own += method.Title + ", "
	}
	own += preset
	if !c.Traits.Stochastic {
		for i, figure := range []string{"mre", "median", "max"} {
			t.row(own+[]string{", mean", ", median", ", maximum"}[i], "%.2e", "%.1e", results[0], figure)
		}
	} else {
		for i, v := range all {
			t.row(own+v.name, "%.2e", "%.1g", results[i], "mmd")
		}
		any := results[0][0].tests[0]
		t.row(fmt.Sprintf("two halves of the %s true trajectories", any.text("trajectories")), "%.2e", "%.1g", results[0][:1], "floor")
		for i, v := range all {
			t.row(fmt.Sprintf("share of the truth in bands of %.0f %%%s", 100*any.of("nominal"), v.name), "%.3f", "%.1g", results[i], "coverage")
		}
	}
	fmt.Fprintf(w, "\nTrained on %d trajectories.\n", c.Dynamics.Trajectories)
}

// markdown prints a table.
type markdown struct {
	out   io.Writer
	tests []string // whose columns there are
	cells []string // of the row that is being filled
}

func (t *markdown) end() {
	fmt.Fprintf(t.out, "| %s |\n", strings.Join(t.cells, " | "))
	t.cells = nil
}

// head ends the row that is the table's head.
func (t *markdown) head() {
	rule := "|" + strings.Repeat("---|", len(t.cells))
	t.end()
	fmt.Fprintln(t.out, rule)
}

// row prints mean and standard deviation of a figure over seeds.
func (t *markdown) row(name, meanForm, sdForm string, seeds []*result, figure string) {
	t.cells = []string{name}
	for _, test := range t.tests {
		var values []float64
		for _, r := range seeds {
			if v, possible := r.of(test, figure); possible {
				values = append(values, v)
			}
		}
		cell := "n/a"
		if len(values) > 0 {
			mean, sd := stat.MeanStdDev(values, nil) // NaN for one value
			if cell = setting.Figure(meanForm, mean); sd > 0 {
				cell += setting.Figure(" ± "+sdForm, sd)
			}
		}
		t.cells = append(t.cells, cell)
	}
	t.end()
}

// printDensities prints KL(q_X || p_θ) of models, a row an ε.
func printDensities(w io.Writer, models [][]*experiment.Model, kl [][]float64) {
	t := markdown{out: w, cells: []string{"KL, nats"}}
	for _, m := range models[0] {
		t.cells = append(t.cells, fmt.Sprintf("ẑ dim %d", m.Config.ZDim()))
	}
	t.head()
	for i, row := range kl {
		t.cells = []string{fmt.Sprintf("ε = %g", models[i][0].Config.Eps())}
		for _, v := range row {
			t.cells = append(t.cells, setting.Figure("%.4f", v))
		}
		t.end()
	}
}
