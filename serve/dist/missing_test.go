package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// TestScriptsMissing checks that the page does not load for ever if one of its scripts does not
// arrive. The page must not report an error of a picture as a missing script. A page from a file,
// or in a frame with a sandbox, must recognize this.
func TestScriptsMissing(t *testing.T) {
	source, err := os.ReadFile("../../assets/shell/early.js")
	if err != nil {
		t.Fatal(err)
	}
	const page = `
const elements = { blocked: { textContent: "", hidden: true }, loading: { hidden: false } };
const document = { documentElement: { dataset: {} }, hidden: true, getElementById: (id) => elements[id] };
const location = { hash: "", search: "", protocol: "https:" };
const localStorage = { getItem: () => null };
const URLSearchParams = function () { this.get = this.has = () => null; };
let fail;
const addEventListener = (type, listen, capture) => (fail = type === "error" && capture && listen);
`
	for _, tc := range []struct{ name, target, want string }{
		{"a script", `{ type: "module" }`, "The lab could not be loaded: is there a connection? Reload the page to try again. true"},
		{"a picture", `{ type: undefined }`, " false"},
	} {
		vm := goja.New()
		if _, err := vm.RunString(page + string(source)); err != nil {
			t.Fatal(err)
		}
		got, err := vm.RunString("fail({ target: " + tc.target + " }); `${elements.blocked.textContent} ${elements.loading.hidden && !elements.blocked.hidden}`")
		if err != nil || got.String() != tc.want {
			t.Errorf("%s: %v, want %q; %v", tc.name, got, tc.want, err)
		}
	}
	for _, tc := range []struct{ protocol, origin, want string }{
		{"file:", "null", "file"}, {"https:", "null", "sandbox"}, {"https:", "https://school.example", "undefined"},
	} {
		got, err := goja.New().RunString(fmt.Sprintf("globalThis.origin = %q;", tc.origin) + strings.Replace(page, "https:", tc.protocol, 1) + string(source) + "String(document.documentElement.dataset.from)")
		if err != nil || got.String() != tc.want {
			t.Errorf("%s of origin %s: the page comes from %v, want %s; %v", tc.protocol, tc.origin, got, tc.want, err)
		}
	}
}

// TestFetchBytes checks that the worker's error names the file that could not be fetched, even if
// the connection breaks off in the middle of the file. The worker must report a file that is late,
// and fetch it anew if the visitor asks for that.
func TestFetchBytes(t *testing.T) {
	worker, err := os.ReadFile("../../assets/worker.js")
	if err != nil {
		t.Fatal(err)
	}
	load, err := os.ReadFile("../../assets/shell/load.js")
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(worker), `import "./wasm_exec.js";`)
	script, _, _ = strings.Cut(script, "function fatal") // the rest starts the program
	const scope = `
const self = {};
const said = [], listeners = [];
const say = (promise) => promise.then((bytes) => said.push(bytes.join()), (error) => said.push(error.message));
const addEventListener = (_, listen) => listeners.push(listen);
const postMessage = ({ type, name, loaded }) => said.push([type, name, loaded].join(" "));
let tick = null; // what is called while a file is late
const setInterval = (act) => (tick = act);
const clearInterval = (act) => tick === act && (tick = null);
class AbortController {
  signal = {
    ends: [],
    addEventListener(_, end) { this.ends.push(end); },
    throwIfAborted() { if (this.aborted) throw new Error("AbortError"); },
  };
  abort() {
    this.signal.aborted = true;
    for (const end of this.signal.ends) end();
  }
}
class TransformStream {
  constructor(by) {
    if ("flush" in by && typeof by.flush !== "function") throw new TypeError("flush is not a function"); // as in WebKit
    this.by = by;
  }
}
class Response {
  constructor(body) { this.body = body; }
  arrayBuffer() { return this.body; }
}
const file = (...pieces) => ({ ok: true, body: { pipeThrough: async ({ by }) => {
  const all = [];
  for (const piece of pieces) by.transform(await piece, { enqueue: (bytes) => all.push(...bytes) });
  return new Uint8Array(all).buffer;
} } });
const never = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("AbortError"))));
`
	for _, tc := range []struct{ name, fetch, does, want string }{
		{"a file", `file(Uint8Array.of(7), Uint8Array.of(8))`, ``, "7,8"},
		{"no such file", `({ ok: false, status: 404 })`, ``, "models/m could not be fetched; the server answered 404"},
		{"no answer", `Promise.reject(new TypeError("Failed to fetch"))`, ``, "models/m could not be fetched; there may be no connection"},
		{"an answer that ends early", `file(Uint8Array.of(7), Promise.reject(new TypeError("network error")))`, ``, "models/m could not be fetched; there may be no connection"},
		{"a late file", `calls++ === 0 ? file(Uint8Array.of(7), never(signal)) : file(Uint8Array.of(8, 9))`, `
			tick(); tick();
			listeners.forEach((listen) => listen({ data: { type: "again" } }));`, "late models/m 1; late models/m 1; late models/m ; 8,9"},
		{"a file that is not needed any more", `never(signal)`, `tick(); self.endFetch();`,
			"late models/m 0; late models/m ; models/m could not be fetched; there may be no connection"},
	} {
		vm := goja.New()
		if _, err := vm.RunString(scope + "let calls = 0; const fetch = async (_, { signal }) => " + tc.fetch + ";" + strings.ReplaceAll(string(load), "export ", "") + script +
			`say(self.fetchBytes("models/m"));`); err != nil {
			t.Fatal(err)
		}
		if _, err := vm.RunString(tc.does); err != nil {
			t.Fatal(tc.name, err)
		}
		if got, err := vm.RunString("said.join('; ')"); err != nil || got.String() != tc.want {
			t.Errorf("%s: %v, want %q; %v", tc.name, got, tc.want, err)
		}
	}
}

// TestCompile checks the error that the page shows if a program is missing or incomplete.
func TestCompile(t *testing.T) {
	source, err := os.ReadFile("../../assets/shell/load.js")
	if err != nil {
		t.Fatal(err)
	}
	const page = `
const asked = new Map();
const TransformStream = function () {};
const Response = function () {};
const WebAssembly = { compileStreaming: async () => { throw new Error("fell off end"); } };
`
	for _, tc := range []struct{ name, fetch, want string }{
		{"no answer", `Promise.reject(new TypeError("Failed to fetch"))`, "is there a connection?"},
		{"no such file", `({ ok: false, status: 404 })`, "the server answered 404 for app.wasm"},
		{"half a file", `({ ok: true, body: { pipeThrough() {} } })`, "app.wasm did not arrive whole, or this browser cannot run it (fell off end). Reload the page to try again."},
	} {
		vm := goja.New()
		if _, err := vm.RunString(page + "let said; const fetch = async () => " + tc.fetch + ";" + strings.ReplaceAll(string(source), "export ", "") +
			`compile("app.wasm").catch((error) => (said = error.message));`); err != nil {
			t.Fatal(err)
		}
		if got, err := vm.RunString("said"); err != nil || !strings.HasPrefix(got.String(), "The engine could not be loaded: ") || !strings.Contains(got.String(), tc.want) {
			t.Errorf("%s: %v, want %q; %v", tc.name, got, tc.want, err)
		}
	}
}
