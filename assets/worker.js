// The compute worker: starts the Go program that the page has compiled. All else
// is Go's business (wasm/bridge).
import "./wasm_exec.js";

// fetchBytes resolves to a file's bytes. What its errors say is for a visitor, at
// the end of a sentence.
self.fetchBytes = async (url) => {
  let response;
  try {
    response = await fetch(url);
  } catch {
    throw new Error(`${url} could not be fetched, there may be no connection`);
  }
  if (!response.ok) throw new Error(`${url} could not be fetched, the server answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
};

function fatal(text) {
  postMessage({ type: "fatal", text });
}

addEventListener("message", async ({ data: { module, helperOf, plain } }) => {
  // startHelper returns another worker that computes for this one's lab, or null
  // where workers cannot start workers.
  self.startHelper = (lab) => {
    if (typeof Worker !== "function") return null;
    const helper = new Worker(import.meta.url, { type: "module" });
    helper.postMessage({ module, helperOf: lab, plain });
    return helper;
  };
  self.helperOf = helperOf;
  self.plain = plain;
  try {
    const go = new Go();
    const instance = await WebAssembly.instantiate(module, go.importObject);
    await go.run(instance);
    fatal("The session ended by itself.");
  } catch (error) {
    fatal(`The session could not start (${error.message}).`);
  }
}, { once: true });
