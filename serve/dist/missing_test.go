package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestScriptsMissing checks that the page does not load for ever if one of its scripts does not
// arrive. The page must not report an error of a picture as a missing script. A page from a file,
// or in a frame with a sandbox, must recognize this.
func TestScriptsMissing(t *testing.T) {
	const page = `
const elements = { blocked: { textContent: "", hidden: true }, loading: { hidden: false } };
globalThis.self ??= globalThis;
const document = { documentElement: { dataset: {}, classList: { toggle() {} } }, hidden: true, getElementById: (id) => elements[id] };
const location = { hash: "", search: "", protocol: "https:" };
const localStorage = { getItem: () => null };
const URLSearchParams = function () { this.get = this.has = () => null; };
let fail;
const addEventListener = (type, listen, capture) => (fail = (type === "error" && capture || type === "DOMContentLoaded") && listen);
`
	script := page + module(t, "shell/early.js")
	const fail = "fail({ target: { type: %s } }); return `${elements.blocked.textContent} ${elements.loading.hidden && !elements.blocked.hidden}`;"
	const cut = "fail({ target: globalThis, filename: 'https://school.example%s' }); return `${elements.blocked.textContent} ${elements.loading.hidden && !elements.blocked.hidden}`;"
	tests := []nodeTest{
		{"a script", script + fmt.Sprintf(fail, `"module"`), "The lab could not be loaded: a file is missing or damaged. Is there a connection? Reload the page to try again. true"},
		{"a script that is cut", script + fmt.Sprintf(cut, "/shell/panel.js"), "The lab could not be loaded: a file is missing or damaged. Is there a connection? Reload the page to try again. true"},
		{"an error after the start", "globalThis.started = true;" + script + fmt.Sprintf(cut, "/shell/panel.js"), " false"},
		{"an extension of the browser", "globalThis.started = false;" + script + fmt.Sprintf(cut, "extension://x.js"), " false"},
		{"a browser that is too old", "const self = {};" + script + "fail(); return [elements.blocked.textContent, document.documentElement.dataset.from].join();",
			"This browser is too old for the lab. It needs Chrome or Edge 103, Firefox 114 or Safari 16.4, or a later one.,past"},
		{"a picture", script + fmt.Sprintf(fail, "undefined"), " false"},
	}
	for _, tc := range []struct{ protocol, origin, want string }{
		{"file:", "null", "file"}, {"https:", "null", "sandbox"}, {"https:", "https://school.example", "undefined"},
	} {
		tests = append(tests, nodeTest{"where the page comes from: " + tc.protocol + " of origin " + tc.origin,
			fmt.Sprintf("globalThis.origin = %q;", tc.origin) + strings.Replace(script, "https:", tc.protocol, 1) + "return document.documentElement.dataset.from;", tc.want})
	}
	checkInNode(t, tests)
}

// TestFetchBytes checks that the worker's error names the file that could not be fetched, even if
// the connection breaks off in the middle of the file. The worker must report a file that is late,
// and fetch it anew if the visitor asks for that.
func TestFetchBytes(t *testing.T) {
	_, script, _ := strings.Cut(module(t, "worker.js"), `import "./wasm_exec.js";`)
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
	var tests []nodeTest
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
		tests = append(tests, nodeTest{tc.name, scope + "let calls = 0; const fetch = async (_, { signal }) => " + tc.fetch + ";" + module(t, "shell/load.js") + script +
			`say(self.fetchBytes("models/m"));` + settled + tc.does + settled + `return said.join("; ");`, tc.want})
	}
	checkInNode(t, tests)
}

// TestCompile checks the error that the page shows if a program is missing or incomplete.
func TestCompile(t *testing.T) {
	const page = `
const asked = new Map();
const TransformStream = function () {};
const Response = function () {};
const WebAssembly = { compileStreaming: async () => { throw new Error("fell off end"); } };
`
	var tests []nodeTest
	for _, tc := range []struct{ name, fetch, want string }{
		{"no answer", `Promise.reject(new TypeError("Failed to fetch"))`, "is there a connection? Reload the page to try again."},
		{"no such file", `({ ok: false, status: 404 })`, "the server answered 404 for app.wasm. The lab may not have been built."},
		{"half a file", `({ ok: true, body: { pipeThrough() {} } })`, "app.wasm did not arrive whole, is damaged, or this browser cannot run it (fell off end). Reload the page to try again."},
	} {
		tests = append(tests, nodeTest{tc.name, page + "const fetch = async () => " + tc.fetch + ";" + module(t, "shell/load.js") +
			`return compile("app.wasm").catch(({ message }) => message);`, "The engine could not be loaded: " + tc.want})
	}
	checkInNode(t, tests)
}
