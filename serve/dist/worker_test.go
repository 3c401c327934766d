package main

import (
	"os"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// TestFetchBytes checks that the worker names a file that it cannot fetch, also if the file's
// answer begins and does not end.
func TestFetchBytes(t *testing.T) {
	source, err := os.ReadFile("../../assets/worker.js")
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(source), `import "./wasm_exec.js";`)
	script, _, _ = strings.Cut(script, "function fatal") // the rest starts the program
	for _, tc := range []struct{ name, fetch, want string }{
		{"a file", `({ ok: true, arrayBuffer: async () => Uint8Array.of(7, 8).buffer })`, "7,8"},
		{"no such file", `({ ok: false, status: 404 })`, "models/m could not be fetched; the server answered 404"},
		{"no answer", `Promise.reject(new TypeError("Failed to fetch"))`, "models/m could not be fetched; there may be no connection"},
		{"an answer that ends early", `({ ok: true, arrayBuffer: () => Promise.reject(new TypeError("network error")) })`, "models/m could not be fetched; there may be no connection"},
	} {
		vm := goja.New()
		if _, err := vm.RunString("const self = {}; let said; const addEventListener = () => {}; const fetch = async () => " + tc.fetch + ";" + script +
			`self.fetchBytes("models/m").then((bytes) => (said = bytes.join()), (error) => (said = error.message));`); err != nil {
			t.Fatal(err)
		}
		if got, err := vm.RunString("said"); err != nil || got.String() != tc.want {
			t.Errorf("%s: %v, want %q; %v", tc.name, got, tc.want, err)
		}
	}
}
