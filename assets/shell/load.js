// Fetches and compiles a WebAssembly program, and fetches other files. It reports how much has
// arrived.

// compile fetches url, unless early.js has already requested it, and compiles the program while
// it arrives. onprogress(loaded) receives the number of decompressed bytes. onarrived() is
// called after the last byte.
export async function compile(url, onprogress, onarrived) {
  let response;
  try {
    const early = asked.get(url);
    asked.delete(url);
    response = await (early ?? fetch(url));
  } catch {
    throw new Error("The engine could not be loaded: is there a connection? Reload the page to try again.");
  }
  if (!response.ok) {
    throw new Error(`The engine could not be loaded: the server answered ${response.status} for ${url}. The lab may not have been built.`);
  }
  const counted = count(response, onprogress, onarrived);
  try {
    return await (WebAssembly.compileStreaming ? WebAssembly.compileStreaming(counted) : WebAssembly.compile(await counted.arrayBuffer()));
  } catch (error) {
    throw new Error(`The engine could not be loaded: ${url} did not arrive whole, or this browser cannot run it (${error.message}). Reload the page to try again.`);
  }
}

// count returns a response with the same body, which reports every piece that arrives. Streaming
// compilation requires the content type application/wasm, but a host may send another one. In
// WebKit, flush must be a function.
function count({ body }, onprogress, onarrived = () => {}) {
  let loaded = 0;
  const counter = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      onprogress(loaded);
      controller.enqueue(chunk);
    },
    flush: onarrived,
  });
  return new Response(body.pipeThrough(counter), { headers: { "content-type": "application/wasm" } });
}

const slow = globalThis.slowFetch ?? 5000; // ms after which a file counts as late; a test may set it

// fetchFile resolves to a file's bytes. If the server answers with an error, it rejects with a
// number, the status. Every `slow` ms until the file is complete, it calls late(loaded, again) with
// the number of bytes so far; again() fetches the file anew. In the end it calls late(null), if it
// has called late before. `signal` ends the fetch.
export async function fetchFile(url, late, signal) {
  let attempt, told;
  signal.addEventListener("abort", () => attempt?.abort());
  try {
    for (;;) {
      signal.throwIfAborted();
      const mine = (attempt = new AbortController());
      let loaded = 0;
      let again = false;
      const watch = setInterval(() => {
        told = true;
        late(loaded, () => {
          again = true;
          mine.abort();
        });
      }, slow);
      try {
        const response = await fetch(url, { signal: mine.signal });
        if (!response.ok) throw response.status;
        return new Uint8Array(await count(response, (bytes) => (loaded = bytes)).arrayBuffer());
      } catch (error) {
        if (!again) throw error;
      } finally {
        clearInterval(watch);
      }
    }
  } finally {
    if (told) late(null);
  }
}
