package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inNode runs scripts in Node and returns their results as text. Each script is the body of an async
// function. It can import the page's modules from "./shell". Without Node, the test is skipped, or
// fails if CI is set.
func inNode(t *testing.T, scripts ...string) (results []string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no program node; install Node")
		}
		t.Skip("there is no program node")
	}
	dir := t.TempDir()
	// Without this package, Node would take the page's modules for scripts.
	if err := errors.Join(os.CopyFS(filepath.Join(dir, "shell"), os.DirFS("../../assets/shell")), os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o644)); err != nil {
		t.Fatal(err)
	}
	var module strings.Builder
	module.WriteString("const results = [];\n")
	for _, script := range scripts {
		fmt.Fprintf(&module, "results.push(String(await (async () => {%s\n})().catch((error) => error.stack)));\n", script)
	}
	module.WriteString("console.log(JSON.stringify(results));\n")
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, node, "--input-type=module")
	c.Dir, c.Stdin, c.Stderr = dir, strings.NewReader(module.String()), os.Stderr
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, &results)
	}
	if err != nil {
		t.Fatalf("node: %v\n%s", err, out)
	}
	return results
}

// nodeTest is a script for inNode with its result.
type nodeTest struct{ name, script, want string }

// checkInNode runs scripts in Node and compares their results.
func checkInNode(t *testing.T, tests []nodeTest) {
	t.Helper()
	scripts := make([]string, len(tests))
	for i, tc := range tests {
		scripts[i] = tc.script
	}
	for i, got := range inNode(t, scripts...) {
		if tc := tests[i]; got != tc.want {
			t.Errorf("%s: %s\nwant %s", tc.name, got, tc.want)
		}
	}
}

// settled is a statement that waits for all promises that can settle.
const settled = "\nawait new Promise(setImmediate);\n"

// module returns a module of the page without its exports, as part of a script whose constants can
// stand for the browser's.
func module(t *testing.T, name string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("../../assets", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(source), "export ", "")
}
