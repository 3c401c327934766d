//go:build !js

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// toyFiles lists the files of a system and its picture, with their places in the project. A new
// lab needs only these files, and a line in each list of labs.
var toyFiles = map[string]string{
	"system.go":      "model/system/diffusion/system.go",
	"system_test.go": "model/system/diffusion/system_test.go",
	"scene.go":       "ui/scene/diffusion.go",
}

// toyLines contains the changes to the lists of labs, by file: the text to replace and its
// replacement.
var toyLines = map[string][][2]string{
	"model/lab/catalogue/labs.go": {
		{", Own()}", ", {System: diffusion.System()}, Own()}"},
		{`"macroscope/model/system/line"`, "\"macroscope/model/system/line\"\n\t\"macroscope/model/system/diffusion\""},
	},
	"ui/scene/labs.go": {{`"mixing":`, "\"diffusion\": diffusion,\n\t\"mixing\":"}},
}

// overlay writes a file for the flag -overlay of the go command, and returns its name. A build with
// this file includes toyFiles and toyLines as parts of the project.
func overlay(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for from, to := range toyFiles {
		replace[filepath.Join(root, to)] = filepath.Join(root, "wasm/e2e/testdata/toy", from)
	}
	dir := t.TempDir()
	for name, lines := range toyLines {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		with := string(b)
		for _, line := range lines {
			if !strings.Contains(with, line[0]) {
				t.Fatalf("%s has no %q to put an entry beside", name, line[0])
			}
			with = strings.Replace(with, line[0], line[1], 1)
		}
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(to, []byte(with), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, name)] = to
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// goTool runs the go command in the project's root, and returns its output.
func goTool(t testing.TB, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestToy adds a lab that consists of one system and one scene, and uses it.
func TestToy(t *testing.T) {
	t.Parallel()
	browser := newBrowser(t)
	over := overlay(t)
	// The toy's package has no folder in the project, so its tests run in this folder.
	tests := filepath.Join(t.TempDir(), "diffusion.test")
	goTool(t, nil, "test", "-c", "-vet=off", "-overlay", over, "-o", tests, "./model/system/diffusion")
	if out, err := exec.Command(tests).CombinedOutput(); err != nil {
		t.Fatalf("the toy's own tests: %v\n%s", err, out)
	}

	dist := t.TempDir()
	if err := os.CopyFS(dist, os.DirFS(distDir)); err != nil {
		t.Fatal(err)
	}
	// These are the build flags of the page's programs. With the same flags, the go command can
	// reuse the compiled packages of these programs.
	flags := strings.Fields(goTool(t, nil, "run", "./serve/dist", "-flags"))
	for _, program := range []string{"app", "worker"} {
		file := filepath.Join(dist, program+".wasm")
		for _, form := range []string{".gz", ".br"} { // the compressed programs do not contain the toy
			if err := os.RemoveAll(file + form); err != nil {
				t.Fatal(err)
			}
		}
		build := append([]string{"build", "-overlay", over, "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file}, flags...)
		goTool(t, []string{"GOOS=js", "GOARCH=wasm", "GOEXPERIMENT=simd"}, append(build, "./wasm/"+program)...)
	}

	// The page knows the sums of the programs without the toy.
	page, err := os.ReadFile(filepath.Join(dist, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	page = regexp.MustCompile(`data-sums=("[^"]*"|'[^']*')`).ReplaceAll(page, []byte(`data-sums="{}"`))
	if err := os.WriteFile(filepath.Join(dist, "index.html"), page, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{".gz", ".br"} {
		if err := os.RemoveAll(filepath.Join(dist, "index.html"+form)); err != nil {
			t.Fatal(err)
		}
	}

	s := serve(t, dist)
	p := newTab(t, browser, 1280, 800, 1)
	p.sees()
	p.open(s.url + "#lab=diffusion")
	p.wait("the toy's panel", `document.documentElement.dataset.lab === "diffusion" && document.getElementById("c-d")`)
	p.wait("a figure", `/\d\.\d\d/.test(`+figureText("ratio")+`)`)
	p.changes("diffusion", p.picture())
	p.shot("toy-1280x800")

	// Pause stops the run, and play continues it.
	p.click("c-play")
	p.wait("a pause", `document.documentElement.dataset.playing === "false"`)
	p.click("c-restart")
	p.wait("no figure at t = 0", `!/\d/.test(`+figureText("ratio")+`)`)
	before := p.picture()
	p.click("c-play")
	p.wait("motion", `document.documentElement.dataset.playing === "true"`)
	p.changes("playing", before)

	// A link contains a setting. An impossible value is rejected.
	p.set("c-d", "2.5")
	p.wait("the link to say so", `location.hash.includes("d=2.5")`)
	p.set("c-d", "0")
	p.wait("a sentence", `[...document.querySelectorAll("#notices *")].some(e => e.textContent.includes("D cannot be"))`)
	p.wait("D to be back", `document.getElementById("c-d").value === "2.5"`)
	p.quiet()

	// With the link another user gets the same setting.
	hash := eval[string](p, `location.hash`)
	other := newTab(t, newBrowser(t), 390, 844, 2)
	other.open(s.url + hash)
	other.wait("D from the link", `document.getElementById("c-d")?.value === "2.5"`)
	other.narrow(390)
	other.shot("toy-390x844-phone")
	other.quiet()
}

// figureText returns an expression for the text of a lab's figure.
func figureText(id string) string {
	return fmt.Sprintf(`(document.getElementById(%q)?.textContent ?? "")`, "f-"+id)
}
