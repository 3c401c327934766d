// The compute worker. It starts the Go program that the page has compiled; everything else is
// in Go (wasm/bridge).
import { hold, watchEnd } from "./shell/lifeline.js";
import "./wasm_exec.js";

// Files that the page fetches while the worker starts: for each name, a promise of the file's
// bytes, or of null if the page could not fetch them.
const ahead = new Map();

function expect(name) {
  ahead.set(name, new Promise((resolve) => {
    addEventListener("message", ({ data }) => data.type === "ahead" && data.name === name && resolve(data.bytes));
  }));
}

// fetchBytes resolves to a file's bytes. Its error messages are parts of a sentence that the
// visitor reads.
self.fetchBytes = async (url) => {
  const sent = ahead.get(url);
  ahead.delete(url);
  const bytes = await sent;
  if (bytes) return bytes;
  let reason = "there may be no connection";
  try {
    const response = await fetch(url);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    reason = `the server answered ${response.status}`;
  } catch {} // no answer, or one that ends early or that the browser cannot decode
  throw new Error(`${url} could not be fetched; ${reason}`);
};

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
