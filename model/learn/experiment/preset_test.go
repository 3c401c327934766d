package experiment

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update-presets", false, "write testdata/presets.txt anew")

// TestPresetsStay compares every preset of every pair with testdata/presets.txt. The file
// contains the metadata of the preset's checkpoints, the settings that no checkpoint contains,
// and the initial weights of small models.
func TestPresetsStay(t *testing.T) {
	const golden = "testdata/presets.txt"
	var lines []string
	for _, sys := range systems() {
		for _, m := range MethodsFor(sys.Traits().Name) {
			if m.Name == momentsMethod.Name {
				continue // this method exists only in tests
			}
			for _, name := range Presets(sys.Traits().Name, m.Name) {
				spec := Spec{System: sys.Traits().Name, Method: m.Name, Preset: name}
				c := preset(t, spec.String())
				enc, dec, dynamics := c.Sizes()
				worker, shared := c.Room()
				text := fmt.Sprintln(spec, c.Settings(), c.Seed, c.WarmUp, c.Eps(), c.Decoder.Samples, c.Decoder.Stratified, c.Variables, c.Force, enc, dec, dynamics, worker, shared)
				if path := os.Getenv("PRESETS_TEXT"); path != "" { // write the full text, to find what has changed
					f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprintln(f, text)
					f.Close()
				}
				hash := sha256.New()
				hash.Write([]byte(text))
				if enc+dec+dynamics < 300_000 {
					m := New(c, sys)
					for _, arena := range [][]float32{m.Params, m.DynamicsParams} {
						if err := binary.Write(hash, binary.LittleEndian, arena); err != nil {
							t.Fatal(err)
						}
					}
				}
				lines = append(lines, fmt.Sprintf("%s %x", spec, hash.Sum(nil)[:8]))
			}
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, line := range lines {
		if !slices.Contains(want, line) {
			t.Errorf("%s is not as it was: see %s, and set PRESETS_TEXT to a file to compare", line, golden)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d presets, want %d", len(lines), len(want))
	}
}
