package cmd

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/learn/sweep"
	"macroscope/serve/reproduce"
)

// BenchmarkPlan runs sweep -list and reproduce -list for some 10 000 finished tasks, and reports
// the time and the memory of the process. A script makes result files of a few bytes. If PLAN_DIR
// is set, the folders of the results are made and kept there.
func BenchmarkPlan(b *testing.B) {
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv(asProgram, itsOwn)
	swept := sweep.Swept{Field: "eps"}
	for i := range 50 {
		swept.Values = append(swept.Values, fmt.Sprintf("%.2f", float64(i+1)/100))
	}
	plan := func(name string, g *reproduce.Graph, err error, args []string) {
		b.Run(name, func(b *testing.B) {
			if err != nil {
				b.Fatal(err)
			}
			dir := cmp.Or(os.Getenv("PLAN_DIR"), b.TempDir())
			dir = filepath.Join(dir, name)
			fill(b, dir, g)
			for b.Loop() {
				c := exec.Command(program, append(args, "-dir", dir, "-list")...)
				out, err := c.Output()
				if err != nil || !strings.Contains(string(out), "about 0s") {
					b.Fatalf("%v\n%.1000s", err, out)
				}
				used := c.ProcessState
				b.ReportMetric((used.UserTime() + used.SystemTime()).Seconds(), "core-s")
				b.ReportMetric(float64(used.SysUsage().(*syscall.Rusage).Maxrss)/1000, "MB")
			}
		})
	}
	for _, name := range []string{"line", "particles"} {
		of := sweep.Of{Spec: method.Spec{System: name, Method: "flow", Preset: "browser"}, Swept: []sweep.Swept{swept}}
		size := reproduce.Size{Preset: "browser", Seeds: 100, Trajectories: 1000}
		t, err := reproduce.NewSweep(systems, size, of, "-workers", "1")
		if err != nil {
			b.Fatal(err)
		}
		g, err := t.SweepGraph()
		plan("sweep "+name, g, err, append([]string{"sweep", "-seeds", "100"}, of.Args()...))
	}
	size := reproduce.Sizes()[0]
	size.Seeds = 100
	tables, err := reproduce.Tables(systems, size, "-workers", "1")
	if err != nil {
		b.Fatal(err)
	}
	args := []string{"-preset", size.Preset, "-seeds", "100", "-workers", "1"}
	g, err := reproduce.NewGraph(reproduce.Tasks(tables, args))
	plan("reproduce", g, err, append([]string{"reproduce"}, args...))
}

// standIn does a task in no time.
const standIn = `#!/bin/sh
case "$1 $2" in
"eval "*) echo '{"kl": 1}' ;;
esac
while [ $# -gt 0 ]; do
	case "$1" in -out | -film) echo "$2" >"$2" ;; esac
	shift
done
`

// The function `fill` runs the tasks of a graph. The script standIn replaces the program.
func fill(b *testing.B, dir string, g *reproduce.Graph) {
	b.Helper()
	script := filepath.Join(b.TempDir(), "program")
	if err := os.WriteFile(script, []byte(standIn), 0o755); err != nil {
		b.Fatal(err)
	}
	var said strings.Builder
	if err := g.Run(b.Context(), reproduce.Options{Dir: dir, Program: script, Jobs: 2, Stderr: &said}); err != nil {
		b.Fatalf("%v\n%.1000s", err, said.String())
	}
}
