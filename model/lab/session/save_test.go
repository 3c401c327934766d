package session_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"testing"

	"macroscope/model/file/bundle"
	"macroscope/model/wire"
)

// TestSavedNames saves a bundle with trajectories. The bundle keeps the name of their file, without its folder, and its
// tables can be read although labels contain commas.
func TestSavedNames(t *testing.T) {
	slowly(t, 0, func(v *visitor, _ *int) {
		v.Apply(wire.Command{Kind: wire.File, Name: `my folder/new\runs, cold.npy`, Data: npy(t, 3, 12, 20, 2)})
		v.reading()
		v.press(wire.Accept)
		_, b, err := v.Save(wire.Bundle)
		if err != nil {
			t.Fatal(err)
		}
		all, err := bundle.Decode(b)
		if err != nil || all.DataName != "new_runs, cold.npy" {
			t.Fatalf("the bundle's data are called %q, error %v", all.DataName, err)
		}
		rows, err := csv.NewReader(bytes.NewReader(all.Metrics)).ReadAll()
		if err != nil || len(rows) < 2 || !slices.Equal(rows[0], []string{"run", "figure", "value"}) {
			t.Errorf("metrics.csv: %q, error %v", all.Metrics, err)
		}
		for _, row := range rows {
			if slices.Contains(row, "") {
				t.Errorf("metrics.csv has a row with an empty cell: %q", row)
			}
		}
		if !bytes.Contains(all.Metrics, []byte(`"`)) {
			t.Error("cells of metrics.csv are not quoted")
		}
	})
}
