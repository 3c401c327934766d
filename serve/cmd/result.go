package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"macroscope/model/learn/measure"
	"macroscope/model/setting"
)

// jsonOf adds figures to a JSON object. A figure that is missing or not finite becomes null, because JSON has
// no infinity. The inner object "undefined" then contains the reason in words.
func jsonOf(figures measure.Figures, to map[string]any) map[string]any {
	undefined := make(map[string]string)
	for _, f := range figures {
		if to[f.Name] = f.Value; f.Value == nil {
			undefined[f.Name] = "there is no such frame"
		}
		if v, ok := f.Value.(float64); ok && v-v != 0 {
			to[f.Name], undefined[f.Name] = nil, "what the model computes is "+setting.Figure("", v)
		}
	}
	if len(undefined) > 0 {
		to["undefined"] = undefined
	}
	return to
}

// objects returns JSON objects for several sets.
func objects(of []measure.Figures) (list []map[string]any) {
	for _, figures := range of {
		list = append(list, jsonOf(figures, make(map[string]any)))
	}
	return list
}

// impossible is a test that the model's encoder does not accept, with the reason.
type impossible struct {
	Set string `json:"set"`
	Why string `json:"why"`
}

// result holds a model's figures. It prints them as a table, or as one JSON object.
type result struct {
	experiment string
	single     measure.Figures   // figures for the trajectories in a file, or for a model without dynamics
	trained    bool              // whether the trajectories in the file trained the model
	keptOut    measure.Figures   // figures for those of them that were kept out of training; nil if there are none
	tests      []measure.Figures // figures for the paper's tests
	impossible []impossible
	seconds    float64
}

// add appends the figures of a model with the given ẑ dim to r.
func (r *result) add(of *result, zdim int) {
	r.seconds += of.seconds
	rows := of.tests
	if of.single != nil {
		rows = []measure.Figures{of.single}
	}
	if of.keptOut != nil {
		rows = append(rows, of.keptOut)
	}
	r.trained = r.trained || of.trained
	for _, figures := range rows {
		if len(figures) > 0 && figures[0].Name == "set" {
			figures = slices.Insert(figures, 1, measure.Figure{Name: "zdim", Title: "ẑ dim", Format: "%d", Value: zdim})
		}
		r.tests = append(r.tests, figures)
	}
	r.impossible = append(r.impossible, of.impossible...)
}

// MarshalJSON implements json.Marshaler.
func (r *result) MarshalJSON() ([]byte, error) {
	o := jsonOf(r.single, map[string]any{"experiment": r.experiment, "seconds": r.seconds})
	if r.single == nil {
		o["tests"] = objects(r.tests)
	}
	if r.trained {
		o["trained_on"] = true
	}
	if r.keptOut != nil {
		o["kept_out"] = jsonOf(r.keptOut, make(map[string]any))
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
	case r.single.Text("set") != "":
		rows = []measure.Figures{r.single}
		if r.trained {
			rows[0] = slices.Clone(r.single)
			rows[0][0].Value = r.single.Text("set") + ", which trained it"
		}
		if r.keptOut != nil {
			rows = append(rows, r.keptOut)
		}
	case r.single != nil:
		for _, f := range r.single {
			fmt.Fprintf(t, "%s\t%s\n", f.Title, f.InWords())
		}
	}
	for from := 0; len(rows) > 0 && from < len(rows[0]); from += columns {
		for i, of := range rows {
			var titles, values []string
			for k, f := range of {
				if k == 0 || k >= from && k < from+columns { // each part begins with the column of set names
					titles, values = append(titles, f.Title), append(values, f.InWords())
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
