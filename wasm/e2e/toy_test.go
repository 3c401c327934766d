//go:build !js

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// toyFiles are a lab of its own, and where its files would be in the project.
// They are all that it takes.
var toyFiles = map[string]string{
	"lab.go":      "model/lab/diffusion.go",
	"lab_test.go": "model/lab/diffusion_test.go",
	"scene.go":    "ui/scene/diffusion.go",
}

// overlay writes the file that makes the go command see the toy's files in
// their places.
func overlay(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	for from, to := range toyFiles {
		entries = append(entries, fmt.Sprintf("%q: %q", filepath.Join(root, to), filepath.Join(root, "wasm/e2e/testdata/toy", from)))
	}
	name := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(name, []byte(`{"Replace": {`+strings.Join(entries, ", ")+`}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// goTool runs the go command in the project's root.
func goTool(t testing.TB, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestToy adds a lab by one lab file and one scene, and uses it.
func TestToy(t *testing.T) {
	browser := newBrowser(t)
	over := overlay(t)
	goTool(t, nil, "test", "-overlay", over, "-run", "Diffusion", "./model/lab")

	dist := t.TempDir()
	if err := os.CopyFS(dist, os.DirFS(distDir)); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"app", "worker"} {
		file := filepath.Join(dist, program+".wasm")
		for _, form := range []string{".gz", ".br"} { // of the lab without the toy
			if err := os.RemoveAll(file + form); err != nil {
				t.Fatal(err)
			}
		}
		goTool(t, []string{"GOOS=js", "GOARCH=wasm", "GOEXPERIMENT=simd"}, "build", "-overlay", over, "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, "./wasm/"+program)
	}

	s := serve(t, dist)
	p := newTab(t, browser, 1280, 800, 1)
	p.open(s.url + "#lab=diffusion")
	p.wait("the toy's panel", `document.documentElement.dataset.lab === "diffusion" && document.getElementById("c-d")`)
	p.wait("a figure", `/\d\.\d\d/.test(`+figureText("ratio")+`)`)
	p.changes("diffusion", p.picture())
	p.shot("toy-1280x800")

	// Held, it stands still; played, it goes on.
	p.click("c-play")
	p.wait("a pause", `document.documentElement.dataset.playing === "false"`)
	p.click("c-restart")
	p.wait("no figure at t = 0", `!/\d/.test(`+figureText("ratio")+`)`)
	before := p.picture()
	p.click("c-play")
	p.wait("motion", `document.documentElement.dataset.playing === "true"`)
	p.changes("playing", before)

	// A setting goes into the link, an impossible one is refused.
	p.set("c-d", "2.5")
	p.wait("the link to say so", `location.hash.includes("d=2.5")`)
	p.set("c-d", "0")
	p.wait("a sentence", `[...document.querySelectorAll("#notices *")].some(e => e.textContent.includes("D cannot be"))`)
	p.wait("D to be back", `document.getElementById("c-d").value === "2.5"`)
	p.quiet()

	// The link brings somebody else to the same setting.
	hash := eval[string](p, `location.hash`)
	other := newTab(t, newBrowser(t), 390, 844, 2)
	other.open(s.url + hash)
	other.wait("D from the link", `document.getElementById("c-d")?.value === "2.5"`)
	other.narrow(390)
	other.shot("toy-390x844-phone")
	other.quiet()
}

// figureText is what a lab's figure shows, as an expression.
func figureText(id string) string {
	return fmt.Sprintf(`(document.getElementById(%q)?.textContent ?? "")`, "f-"+id)
}
