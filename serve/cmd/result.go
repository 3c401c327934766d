package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"macroscope/model/learn/measure"
	"macroscope/model/setting"
)

// number is one figure of a model.
type number struct {
	name   string // name in JSON
	title  string // title in tables for people
	format string
	value  any
}

// row contains the figures for one set of trajectories, or for a model without dynamics.
type row []number

// The method `of` returns the value of the figure with this name, or NaN if there is none.
func (r row) of(name string) float64 {
	for _, f := range r {
		if v, ok := f.value.(float64); ok && f.name == name {
			return v
		}
	}
	return math.NaN()
}

// text returns the figure with this name as text.
func (r row) text(name string) string {
	for _, f := range r {
		if f.name == name {
			return fmt.Sprint(f.value)
		}
	}
	return ""
}

// object adds the figures to a JSON object. A figure that is missing or not finite becomes null,
// because JSON has no infinity. The inner object "undefined" then contains the reason in words.
func (r row) object(to map[string]any) map[string]any {
	undefined := make(map[string]string)
	for _, f := range r {
		if to[f.name] = f.value; f.value == nil {
			undefined[f.name] = "there is no such frame"
		}
		if v, ok := f.value.(float64); ok && v-v != 0 {
			to[f.name], undefined[f.name] = nil, "what the model computes is "+setting.Figure("", v)
		}
	}
	if len(undefined) > 0 {
		to["undefined"] = undefined
	}
	return to
}

// inWords returns the value as it is printed in tables.
func (n *number) inWords() string {
	switch v := n.value.(type) {
	case nil:
		return "–"
	case float64:
		return setting.Figure(n.format, v)
	}
	return fmt.Sprintf(n.format, n.value)
}

// MarshalJSON implements json.Marshaler.
func (r row) MarshalJSON() ([]byte, error) { return json.Marshal(r.object(make(map[string]any))) }

// newRow returns the figures for the predictions of one set. Unless level is nil, it adds the
// figures for the first passage of this level. The error is the error of ctx.
func newRow(ctx context.Context, set string, stochastic bool, level *float64, p *measure.Prediction) (row, error) {
	r := row{{"set", "set", "%s", set}}
	if stochastic {
		mmd, err := p.MMD(ctx)
		if err != nil {
			return nil, err
		}
		perfect, sd, err := p.PerfectMMD(ctx)
		if err != nil {
			return nil, err
		}
		share, se, nominal := p.Coverage()
		r = append(r, number{"mmd", "MMD", "%.3g", mmd}, number{"perfect", "if perfect", "%.3g", perfect}, number{"perfect_sd", "±", "%.1g", sd},
			number{"coverage", "coverage", "%.3f", share}, number{"coverage_se", "±", "%.3f", se},
			number{"nominal", "nominal", "%.3f", nominal})
		if p.Stretch != 1 {
			r = append(r, number{"stretch", "bands ×", "%.3f", p.Stretch})
		}
	} else {
		mean, median, largest := measure.Summary(p.MRE())
		r = append(r, number{"mre", "MRE", "%.3g", mean}, number{"median", "median", "%.3g", median}, number{"max", "max", "%.3g", largest})
	}
	l := p.Leaving()
	r = append(r, number{"left", "left", "%.3f", l.Trajectories}, number{"left_frames", "frames left", "%.4f", l.Frames})
	for _, n := range []number{{"rmse_inside", "RMSE inside", "%.3g", l.Inside}, {"rmse_outside", "outside", "%.3g", l.Outside}} {
		if math.IsNaN(n.value.(float64)) {
			n.value = nil
		}
		r = append(r, n)
	}
	r = append(r, number{"trajectories", "trajectories", "%d", p.Trajectories()})
	if level != nil {
		r = append(r, passageRow(p, *level)...)
	}
	return r, nil
}

// impossible is a test that the model's encoder does not accept, with the reason.
type impossible struct {
	Set string `json:"set"`
	Why string `json:"why"`
}

// result holds a model's figures. It prints them as a table, or as one JSON object.
type result struct {
	experiment string
	single     row   // figures for the trajectories in a file, or for a model without dynamics
	trained    bool  // whether the trajectories in the file trained the model
	keptOut    row   // figures for those of them that were kept out of training; nil if there are none
	tests      []row // figures for the paper's tests
	impossible []impossible
	seconds    float64
}

// add appends the figures of a model with the given ẑ dim to r.
func (r *result) add(of *result, zdim int) {
	r.seconds += of.seconds
	rows := of.tests
	if of.single != nil {
		rows = []row{of.single}
	}
	if of.keptOut != nil {
		rows = append(rows, of.keptOut)
	}
	r.trained = r.trained || of.trained
	for _, figures := range rows {
		if len(figures) > 0 && figures[0].name == "set" {
			figures = slices.Insert(figures, 1, number{"zdim", "ẑ dim", "%d", zdim})
		}
		r.tests = append(r.tests, figures)
	}
	r.impossible = append(r.impossible, of.impossible...)
}

// MarshalJSON implements json.Marshaler.
func (r *result) MarshalJSON() ([]byte, error) {
	o := r.single.object(map[string]any{"experiment": r.experiment, "seconds": r.seconds})
	if r.single == nil {
		o["tests"] = r.tests
	}
	if r.trained {
		o["trained_on"] = true
	}
	if r.keptOut != nil {
		o["kept_out"] = r.keptOut
	}
	if r.impossible != nil {
		o["impossible"] = r.impossible
	}
	return json.Marshal(o)
}

// columns is the largest number of columns in one part of a printed table.
const columns = 13

// print writes a table with a line for each set, in several parts if the table is wide. For a model
// without dynamics, print writes one figure per line.
func (r *result) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rows := r.tests
	switch {
	case r.single.text("set") != "":
		rows = []row{r.single}
		if r.trained {
			rows[0] = slices.Clone(r.single)
			rows[0][0].value = r.single.text("set") + ", which trained it"
		}
		if r.keptOut != nil {
			rows = append(rows, r.keptOut)
		}
	case r.single != nil:
		for _, f := range r.single {
			fmt.Fprintf(t, "%s\t%s\n", f.title, f.inWords())
		}
	}
	for from := 0; len(rows) > 0 && from < len(rows[0]); from += columns {
		for i, of := range rows {
			var titles, values []string
			for k, f := range of {
				if k == 0 || k >= from && k < from+columns { // each part begins with the column of set names
					titles, values = append(titles, f.title), append(values, f.inWords())
				}
			}
			if i == 0 {
				fmt.Fprintln(t, strings.Join(titles, "\t"))
			}
			fmt.Fprintln(t, strings.Join(values, "\t"))
		}
	}
	for _, i := range r.impossible {
		fmt.Fprintf(t, "%s\tn/a\n", i.Set)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, i := range r.impossible {
		fmt.Fprintf(w, "%s is n/a: %s\n", i.Set, i.Why)
	}
	_, err := fmt.Fprintf(w, "%.1f seconds\n", r.seconds)
	return err
}
