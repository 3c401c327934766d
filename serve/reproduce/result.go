package reproduce

import (
	"cmp"
	"encoding/json"

	"macroscope/model/learn/measure"
)

// readResults reads what eval -json prints. The first result has the figures outside of all tests, and the
// others have those of the tests.
func readResults(b []byte) (experiment string, results []*measure.Result, err error) {
	var all struct {
		Experiment string
		Tests      []map[string]any
	}
	var outside map[string]any
	if err := cmp.Or(json.Unmarshal(b, &all), json.Unmarshal(b, &outside)); err != nil {
		return "", nil, err
	}
	for _, object := range append([]map[string]any{outside}, all.Tests...) {
		r := &measure.Result{Values: make(map[string]float64)}
		r.Set, _ = object["set"].(string)
		for name, v := range object {
			if v, ok := v.(float64); ok {
				r.Values[name] = v
			}
		}
		results = append(results, r)
	}
	return all.Experiment, results, nil
}
