package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rule says which packages one package must not reach, however indirectly.
type rule struct {
	pkg    string
	js     bool // as built for the browser
	never  []string
	reason string
}

// Data flows one way: sim → model → wire → ui. Only model/lab and what stands
// above it know both sim and model.
var rules = []rule{
	{"./sim/...", false, []string{"macroscope/model", "macroscope/ui", "macroscope/serve", "macroscope/wasm"}, "simulators know no model and no picture"},
	{"./model/...", false, []string{"macroscope/ui", "macroscope/serve", "macroscope/wasm", "github.com/hajimehoshi/ebiten", "net/http"}, "models know no picture and no program"},
	{"./ui/...", false, []string{"macroscope/sim", "macroscope/serve", "macroscope/model/lab", "macroscope/model/train"}, "the picture sees frames alone"},
	{"./model/kernel", false, []string{"macroscope/model/tensor", "macroscope/sim"}, "kernels stand on nothing"},
	{"./wasm/worker", true, []string{"github.com/hajimehoshi/ebiten", "gonum.org", "encoding/json", "net/http"}, "the worker draws nothing and is downloaded first"},
	{"./wasm/app", true, []string{"macroscope/model/lab", "macroscope/model/train", "macroscope/sim", "net/http"}, "the canvas computes nothing"},
}

// meetings are the packages under model where sim and model meet.
var meetings = []string{"macroscope/model/lab", "macroscope/model/bench"}

func TestImports(t *testing.T) {
	for _, r := range rules {
		for _, pkg := range list(t, r.js, "-f", "{{.ImportPath}}", r.pkg) {
			deps := list(t, r.js, "-deps", "-f", "{{.ImportPath}}", pkg)
			for _, dep := range deps {
				for _, never := range r.never {
					if dep == never || strings.HasPrefix(dep, never+"/") {
						t.Errorf("%s imports %s: %s", pkg, dep, r.reason)
					}
				}
				if strings.HasPrefix(pkg, "macroscope/model/") && strings.HasPrefix(dep, "macroscope/sim") && !slices.Contains(meetings, pkg) {
					t.Errorf("%s imports %s: sim and model meet in model/lab only", pkg, dep)
				}
			}
		}
	}
}

// TestOnePlaceForRandomness forbids the global generators: a run must be
// repeatable from its seed.
func TestOnePlaceForRandomness(t *testing.T) {
	out, err := exec.Command("grep", "-rnE", `"math/rand"|rand\.(Int|IntN|Float64|Float32|NormFloat64|Perm|Shuffle|N|Uint64)\(`, "--include=*.go", "../sim", "../model", "../ui", "../wasm").Output()
	if err == nil {
		for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			t.Errorf("global random numbers: %s", line)
		}
	}
}

func list(t *testing.T, js bool, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = ".."
	cmd.Env = os.Environ()
	if js {
		cmd.Env = append(cmd.Env, "GOOS=js", "GOARCH=wasm")
	}
	out, err := cmd.Output()
	if err != nil {
		if e, ok := err.(*exec.ExitError); ok {
			t.Fatalf("go list %v: %v\n%s", args, err, e.Stderr)
		}
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.Fields(string(out))
}
