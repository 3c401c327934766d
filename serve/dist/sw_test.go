package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestServiceWorker runs the service worker with servers that answer with wrong files, and checks
// what it keeps and what it serves.
func TestServiceWorker(t *testing.T) {
	t.Parallel()
	start := `
const listen = {};
const addEventListener = (type, act) => (listen[type] = act);
const registration = { scope: "https://school.example/lab/" };
const location = { origin: "https://school.example" };
const clients = { claim() {} };
const skipWaiting = () => {};
const stores = new Map();
const caches = {
	keys: async () => [...stores.keys()], has: async (name) => stores.has(name), delete: async (name) => stores.delete(name),
	open: async (name) => {
		if (!stores.has(name)) stores.set(name, new Map());
		const files = stores.get(name);
		return { match: async (file) => files.get(file)?.clone(), put: async (file, response) => files.set(file, response) };
	},
};
const asked = [];
let server = { "./": "page", "a.wasm": "program" }; // what the server has; a function gets the cache mode
const fetch = async (request, { cache = "default" } = {}) => {
	asked.push((request.url ?? request) + " " + cache);
	const [file, query] = (request.url?.slice("https://school.example/lab/".length) ?? request).split("?");
	const body = server[file || "./"];
	if (server.gone) throw new TypeError("no connection");
	return new Response(typeof body === "function" ? body(query) : body ?? "missing", { status: body === undefined ? 404 : 200, headers: { "content-type": "text/x", "content-length": "1", "content-encoding": "gzip" } });
};
` + module(t, "sw.js") + `
const filled = async () => {
	let work;
	listen.install({ waitUntil: (promise) => (work = promise) });
	return work.then(() => "kept", () => "refused");
};
const get = async (file, mode = "cors", method = "GET") => {
	let answer = "the browser's";
	listen.fetch({ request: { url: "https://school.example" + file, mode, method }, respondWith: (promise) => (answer = promise) });
	const response = await answer;
	return typeof response === "string" ? response : response.type === "error" ? "error" : response.text();
};
const inCopy = () => [...(stores.get(name)?.keys() ?? [])].sort().join();
`
	built := strings.NewReplacer(versionLine, `const VERSION = "1";`, filesLine, fmt.Sprintf(`const FILES = {"./": %q, "a.wasm": %q};`, digest([]byte("page")), digest([]byte("program"))))
	tests := []nodeTest{
		{"as built", `return [await filled(), inCopy(), await get("/lab/?tour=1"), await get("/lab/a.wasm")].join();`, "kept,./,a.wasm,page,program"},
		{"without the server", `await filled(); server = { gone: true }; return [await get("/lab/", "navigate"), await get("/lab/a.wasm")].join();`, "page,program"},
		{"headers", `await filled(); return [...(await (await caches.open(name)).match("a.wasm")).headers].join();`, "content-type,text/x"},
		{"a filter's page", `server["a.wasm"] = "<h1>Blocked</h1>"; return [await filled(), inCopy()].join();`, "refused,./"},
		{"a filter's page, later the file", `server["a.wasm"] = "<h1>Blocked</h1>"; await filled(); server["a.wasm"] = "program"; asked.length = 0; return [await filled(), inCopy(), ...asked].join();`, "kept,./,a.wasm,a.wasm no-cache"},
		{"an old file in a cache on the way", `server["a.wasm"] = (query) => (query ? "program" : "old"); return [await filled(), await get("/lab/a.wasm")].join();`, "kept,program"},
		{"an upload that is not complete", `server["./"] = "old page"; return filled();`, "refused"},
		{"a missing file", `delete server["a.wasm"]; return filled();`, "refused"},
		{"files that are not in the copy", `await filled(); return [await get("/lab/other"), await get("/other/a.wasm"), await get("/lab/a.wasm", "cors", "POST")].join();`, "the browser's,the browser's,the browser's"},
		{"a deleted copy", `await filled(); stores.clear(); server["a.wasm"] = "new"; return get("/lab/a.wasm");`, "new"},
		{"a file that the copy lacks", `await filled(); stores.get(name).delete("a.wasm"); return get("/lab/a.wasm");`, "program"},
		{"a file that the copy lacks, without the server", `await filled(); stores.get(name).delete("a.wasm"); server = { gone: true }; return [await get("/lab/a.wasm").catch((e) => e.message), inCopy()].join();`, "no connection,./"},
		{"a file that the copy lacks, of another version", `await filled(); stores.get(name).delete("a.wasm"); server = { "./": "new page", "a.wasm": "new" }; return [await get("/lab/a.wasm"), await get("/lab/", "navigate"), await get("/lab/a.wasm")].join();`, "error,new page,new"},
	}
	for i := range tests {
		tests[i].script = built.Replace(start) + tests[i].script
	}
	tests = append(tests, nodeTest{"without a build", start + `listen.install({}); return get("/lab/a.wasm");`, "the browser's"})
	checkInNode(t, tests)
}
