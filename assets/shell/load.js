// Fetches and compiles a WebAssembly program, and fetches other files. It reports how much has
// arrived.

// CRC-32 of each program, which the build writes into the page. A browser checks no file of a host.
const sums = JSON.parse(globalThis.document?.getElementById("loading-bar").dataset.sums ?? "{}");

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
  const counted = count(response, onprogress, onarrived, sums[url]);
  try {
    return await (WebAssembly.compileStreaming ? WebAssembly.compileStreaming(counted) : WebAssembly.compile(await counted.arrayBuffer()));
  } catch (error) {
    throw new Error(`The engine could not be loaded: ${url} did not arrive whole, is damaged, or this browser cannot run it (${error.message}). Reload the page to try again.`);
  }
}

// count returns a response with the same body, which reports every piece that arrives. Streaming
// compilation requires the content type application/wasm, but a host may send another one. In
// WebKit, flush must be a function. Unless the bytes have the CRC-32 `sum`, if it is known, the response
// fails at its end.
function count({ body }, onprogress, onarrived = () => {}, sum) {
  let loaded = 0;
  let crc = -1;
  const counter = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      onprogress(loaded);
      if (sum !== undefined) crc = update(crc, chunk);
      controller.enqueue(chunk);
    },
    flush(controller) {
      if (sum !== undefined && ~crc >>> 0 !== sum) controller.error(new Error("its bytes are not those that were built"));
      else onarrived();
    },
  });
  return new Response(body.pipeThrough(counter), { headers: { "content-type": "application/wasm" } });
}

const table = Int32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});

function update(crc, bytes) {
  for (let i = 0; i < bytes.length; i++) crc = table[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return crc;
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
