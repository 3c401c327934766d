package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The programs of the page, and the names of their files.
const (
	appPackage    = "./wasm/app"
	workerPackage = "./wasm/worker"       // program with all labs
	firstPackage  = "./wasm/worker/first" // program with only the lab of the first view
	appFile       = "app.wasm"
	workerFile    = "worker.wasm"
	firstFile     = "worker-first.wasm"
)

// programs lists the packages of the page's programs and their files.
var programs = [...][2]string{{appPackage, appFile}, {workerPackage, workerFile}, {firstPackage, firstFile}}

// The worker's program must not import ebitengine, because Ebitengine panics without a document and
// would make up most of the program.
const ebitengine = "github.com/hajimehoshi/ebiten"

// numerical are the packages in whose code calls are inlined: kernels would take twice as long
// without inlined vector operations. In other code, function calls have no measurable cost, while
// inlining would add 0.45 MB compressed: 0.33 MB to app.wasm and 0.11 MB to worker.wasm. A package that
// is not in the list, such as a new one, is compiled without inlining.
var numerical = []string{
	"math/...", "runtime/...", "simd/...", "macroscope/sim/...", "macroscope/ui/...",
	"macroscope/model/compute/...", "macroscope/model/net/...", "macroscope/model/learn/train", "macroscope/model/learn/fit", "macroscope/model/lab/view/...",
	"macroscope/model/system/line", "macroscope/model/system/particles", "macroscope/model/system/mixing", "macroscope/model/system/polymer", "macroscope/model/system/play", "macroscope/model/system/formula",
}

// compilerFlags returns the compiler's flags of the page's programs.
func compilerFlags() []string {
	flags := []string{"-gcflags=all=-l"}
	for _, packages := range numerical {
		flags = append(flags, "-gcflags="+packages+"=")
	}
	return flags
}

// buildFlags returns the build flags of the page's programs: the compiler's flags, and the flag for
// the copy of Ebitengine. buildFlags writes this copy.
func buildFlags(ctx context.Context, work string) ([]string, error) {
	copied, err := slimEbitengine(ctx, work)
	return append(compilerFlags(), copied...), err
}

// addPrograms builds the programs and adds them. It also adds the script that starts programs of
// this Go version.
func addPrograms(ctx context.Context, b bundle, work string) error {
	deps, err := goTool(ctx, "list", "-deps", workerPackage)
	if err != nil {
		return err
	}
	if dep := holdsEbitengine(deps); dep != "" {
		return fmt.Errorf("%s must not depend on Ebitengine, which cannot start in a worker, but holds %s", workerPackage, dep)
	}
	flags, err := buildFlags(ctx, work)
	if err != nil {
		return err
	}
	for _, p := range programs {
		file := filepath.Join(work, p[1])
		// -buildvcs=false leaves out the commit, so equal sources give equal bytes.
		args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file}, flags...)
		if p[1] == firstFile { // leaves out networks that no system of this program has, which a build can only find out by a tag
			args = append(args, "-tags=first")
		}
		if _, err := goTool(ctx, append(args, p[0])...); err != nil {
			return err
		}
		if b[p[1]], err = os.ReadFile(file); err != nil {
			return err
		}
	}
	root, err := goTool(ctx, "env", "GOROOT")
	if err != nil {
		return err
	}
	b["wasm_exec.js"], err = os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
	return err
}

// holdsEbitengine returns the first package of Ebitengine in the output of go list, or "" if
// there is none.
func holdsEbitengine(deps string) string {
	for dep := range strings.FieldsSeq(deps) {
		if dep == ebitengine || strings.HasPrefix(dep, ebitengine+"/") {
			return dep
		}
	}
	return ""
}

// goTool runs the go command for the page's target, and returns its output.
func goTool(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOEXPERIMENT=simd")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.String(), nil
}

const licencesFile = "licences.txt"

// addLicences adds the licences of Go and of every module in the page's programs and in
// macroscope itself.
func addLicences(ctx context.Context, b bundle) error {
	const format = `{{if .Standard}}Go	{{.Root}}{{else}}{{.Module.Path}}	{{.Module.Dir}}{{end}}`
	list, err := goTool(ctx, "list", "-deps", "-f", format, appPackage, workerPackage, "./serve")
	if err != nil {
		return err
	}
	modules := slices.Compact(slices.Sorted(strings.Lines(list)))
	var all bytes.Buffer
	for _, line := range modules {
		name, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		text, err := licence(dir)
		if err != nil {
			return fmt.Errorf("the licence of %s: %w", name, err)
		}
		fmt.Fprintf(&all, "==== %s ====\n\n%s\n\n", name, bytes.TrimSpace(text))
	}
	b[licencesFile] = all.Bytes()
	return nil
}

// licence returns the licence in a module's folder, and the notice that the Apache licence
// requires.
func licence(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var text []byte
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "NOTICE") {
			continue
		}
		t, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		text = append(append(text, t...), '\n')
	}
	if text == nil {
		return nil, errors.New("there is none in its folder")
	}
	return text, nil
}
