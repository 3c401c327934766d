// The compute worker. It starts the Go program that the page has compiled; everything else is
// in Go (wasm/bridge).
import { hold, watchEnd } from "./shell/lifeline.js";
import { fetchFile } from "./shell/load.js";
import "./wasm_exec.js";

// Files that the page fetches while the worker starts: for each name, a promise of the file's
// bytes, or of null if the page could not fetch them.
const ahead = new Map();

function expect(name) {
  ahead.set(name, new Promise((resolve) => {
    addEventListener("message", ({ data }) => data.type === "ahead" && data.name === name && resolve(data.bytes));
  }));
}

let fetching = null; // AbortController of the last fetch, whose again() fetches the file anew once it is late

// fetchBytes resolves to a file's bytes. It ends an earlier fetch. Its error messages are parts of a
// sentence that the visitor reads.
self.fetchBytes = async (url) => {
  self.endFetch();
  const mine = (fetching = new AbortController());
  const sent = ahead.get(url);
  ahead.delete(url);
  const bytes = await sent;
  if (bytes) return bytes;
  const late = (loaded, again) => {
    mine.again = again;
    postMessage({ type: "late", name: url, loaded });
  };
  try {
    return await fetchFile(url, late, mine.signal);
  } catch (error) {
    const reason = typeof error === "number" ? `the server answered ${error}` : "there may be no connection"; // no answer, or one that ends early or that the browser cannot decode
    throw new Error(`${url} could not be fetched; ${reason}`);
  }
};

// endFetch ends the fetch in progress, because its file is not needed any more.
self.endFetch = () => fetching?.abort();

addEventListener("message", ({ data }) => data.type === "again" && fetching?.again?.());

function fatal(text) {
  postMessage({ type: "fatal", text });
}

hold();

addEventListener("message", async ({ data: { module, helperOf, plain, expects } }) => {
  if (expects) expect(expects);
  // startHelper returns another worker that computes for this worker's lab. It returns null if
  // a worker cannot start workers.
  self.startHelper = (lab) => {
    if (typeof Worker !== "function") return null;
    const helper = new Worker(import.meta.url, { type: "module" });
    watchEnd(helper);
    helper.postMessage({ module, helperOf: lab, plain });
    return helper;
  };
  self.helperOf = helperOf;
  self.plain = plain;
  try {
    const go = new Go();
    const instance = await WebAssembly.instantiate(module, go.importObject);
    await go.run(instance);
    fatal("The session ended unexpectedly.");
  } catch (error) {
    fatal(`The session could not start (${error.message}).`);
  }
}, { once: true });
