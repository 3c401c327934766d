package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
)

// jsonOf adds the figures of a result to a JSON object. A figure that is not finite becomes null, because
// JSON has no infinity. The inner object "undefined" then contains the reason in words.
func jsonOf(r *measure.Result, to map[string]any) map[string]any {
	undefined := make(map[string]string)
	if r.Set != "" {
		to["set"] = r.Set
	}
	for name, v := range r.Values {
		to[name] = v
		if _, why := method.FigureNamed(name).InWords(v); why != "" {
			to[name], undefined[name] = nil, why
		}
	}
	if len(undefined) > 0 {
		to["undefined"] = undefined
	}
	return to
}

// impossible is a test that the model's encoder does not accept, with the reason.
type impossible struct {
	Set string `json:"set"`
	Why string `json:"why"`
}

// result holds a model's figures. It prints them as a table, or as one JSON object.
type result struct {
	experiment string
	tests      []*measure.Result // figures for the paper's tests
	// single is true if tests[0] instead has the figures for the trajectories in a file, or for a model without
	// dynamics. tests[1] then has the figures for the trajectories that were kept out of training, if there are any.
	single      bool
	observables []*measure.Result // figures for each observable of a system of the user's own; nil: it has one
	errors      []errorsOf        // of each observable of such a system
	trained     bool              // whether the trajectories in the file trained the model
	impossible  []impossible
	unscored    string // why there are no figures of -data; "": there are
	seconds     float64
}

// errorsOf holds the errors of an observable in its own unit.
type errorsOf struct {
	name, unit string // unit "": not known
	measure.Errors
}

// MarshalJSON implements json.Marshaler. An error that is not finite is null.
func (e errorsOf) MarshalJSON() ([]byte, error) {
	o := map[string]any{"observable": e.name}
	if e.unit != "" {
		o["unit"] = e.unit
	}
	for name, v := range map[string]float64{"rmse": e.Model, "rmse_first": e.First, "rmse_mean": e.Mean} {
		if o[name] = v; v-v != 0 {
			o[name] = nil
		}
	}
	return json.Marshal(o)
}

// add appends the figures of a model with the given ẑ dim to r.
func (r *result) add(of *result, zdim int) {
	r.seconds += of.seconds
	r.trained = r.trained || of.trained
	for _, t := range of.tests {
		t.Values["zdim"] = float64(zdim)
	}
	r.tests, r.impossible = append(r.tests, of.tests...), append(r.impossible, of.impossible...)
}

// MarshalJSON implements json.Marshaler.
func (r *result) MarshalJSON() ([]byte, error) {
	o := map[string]any{"experiment": r.experiment, "seconds": r.seconds}
	if r.single {
		jsonOf(r.tests[0], o)
	} else {
		var tests []map[string]any
		for _, t := range r.tests {
			tests = append(tests, jsonOf(t, make(map[string]any)))
		}
		o["tests"] = tests
	}
	if r.unscored != "" {
		delete(o, "tests")
		o["unscored"] = r.unscored
	}
	if r.trained {
		o["trained_on"] = true
	}
	if r.single && len(r.tests) > 1 {
		o["kept_out"] = jsonOf(r.tests[1], make(map[string]any))
	}
	if r.observables != nil {
		var each []map[string]any
		for _, of := range r.observables {
			each = append(each, jsonOf(of, make(map[string]any)))
		}
		o["observables"] = each
	}
	if r.errors != nil {
		o["errors"] = r.errors
	}
	if r.impossible != nil {
		o["impossible"] = r.impossible
	}
	return json.Marshal(o)
}

// columns is the largest number of columns in one part of a printed table.
const columns = 13

// table returns the titles of the columns, and a row for each set.
func (r *result) table() (rows [][]string) {
	for i, of := range slices.Concat(r.tests, r.observables) {
		var titles, texts []string
		if of.Set != "" {
			titles, texts = []string{"set"}, []string{of.Set}
		}
		if i == 0 && r.single && r.trained {
			texts[0] += ", which trained it"
		}
		for _, f := range method.Figures {
			if v, ok := of.Values[f.Name]; ok {
				text, _ := f.InWords(v)
				titles, texts = append(titles, f.Title), append(texts, text)
			}
		}
		if i == 0 {
			rows = append(rows, titles)
		}
		rows = append(rows, texts)
	}
	return rows
}

// print writes a table with a line for each set, in several parts if the table is wide. For a model
// without dynamics, print writes one figure per line.
func (r *result) print(w io.Writer) error {
	t, rows := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), r.table()
	if r.single && r.tests[0].Set == "" {
		for i, title := range rows[0] {
			fmt.Fprintf(t, "%s\t%s\n", title, rows[1][i])
		}
		rows = nil
	}
	for from := 0; rows != nil && from < len(rows[0]); from += columns {
		for _, row := range rows { // each part begins with the column of set names
			part := append(row[:1:1], row[min(max(1, from), len(row)):min(from+columns, len(row))]...)
			fmt.Fprintln(t, strings.Join(part, "\t"))
		}
	}
	for _, i := range r.impossible {
		fmt.Fprintf(t, "%s\tn/a\n", i.Set)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.unscored != "" {
		fmt.Fprintln(w, r.unscored)
	}
	for _, e := range r.errors {
		in, unit := " in its own units", ""
		if e.unit != "" {
			in, unit = "", " "+e.unit
		}
		fmt.Fprintf(w, "RMSE of %s%s: %.3g%s; its first value repeated has %.3g%s, the mean of these runs in each frame %.3g%s\n", e.name, in, e.Model, unit, e.First, unit, e.Mean, unit)
	}
	for _, i := range r.impossible {
		fmt.Fprintf(w, "%s is n/a: %s\n", i.Set, i.Why)
	}
	_, err := fmt.Fprintf(w, "%.1f seconds\n", r.seconds)
	return err
}
