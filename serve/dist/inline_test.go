package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestVectorsAreInlined checks that every package of the page's programs that uses vectors is compiled
// with inlining.
func TestVectorsAreInlined(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", workerPackage, firstPackage)
	cmd.Dir = "../.."
	cmd.Env = append(cmd.Environ(), "GOOS=js", "GOARCH=wasm", "GOEXPERIMENT=simd")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if !strings.HasPrefix(fields[0], "macroscope/") || !slices.Contains(fields[1:], "simd/archsimd") {
			continue
		}
		with++
		if !slices.ContainsFunc(numerical, func(pattern string) bool {
			tree, all := strings.CutSuffix(pattern, "/...")
			return fields[0] == tree || all && strings.HasPrefix(fields[0], tree+"/")
		}) {
			t.Errorf("%s uses vectors and is compiled without inlining; add it to the list of numerical packages", fields[0])
		}
	}
	if with == 0 {
		t.Error("no package uses vectors")
	}
}
