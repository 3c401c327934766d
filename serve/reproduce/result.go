package reproduce

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"macroscope/model/learn/measure"
)

// results is what eval -json prints.
type results struct {
	experiment string
	all        []*measure.Result // first the figures outside of all tests, then those of the tests; NaN: undefined
	impossible []string          // tests that the model does not accept
}

func readResults(b []byte) (*results, error) {
	var in struct {
		Experiment string
		Tests      []map[string]any
		Impossible []struct{ Set string }
	}
	var outside map[string]any
	err := cmp.Or(json.Unmarshal(b, &in), json.Unmarshal(b, &outside))
	if of := new(json.UnmarshalTypeError); errors.As(err, &of) {
		err = fmt.Errorf("it has a %s in the place of another kind of value", of.Value)
	}
	if err != nil {
		return nil, err
	}
	of := &results{experiment: in.Experiment}
	for _, object := range append([]map[string]any{outside}, in.Tests...) {
		r := &measure.Result{Values: make(map[string]float64)}
		r.Set, _ = object["set"].(string)
		for name, v := range object {
			if v, ok := v.(float64); ok {
				r.Values[name] = v
			}
		}
		undefined, _ := object["undefined"].(map[string]any)
		for name := range undefined {
			r.Values[name] = math.NaN()
		}
		of.all = append(of.all, r)
	}
	for _, test := range in.Impossible {
		of.impossible = append(of.impossible, test.Set)
	}
	return of, nil
}
