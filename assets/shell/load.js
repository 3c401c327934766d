// Fetching and compiling a WebAssembly program, with its progress, and prefetching
// its files.

// compile fetches url, unless early.js has asked for it, and compiles it as it
// arrives. onprogress(loaded) is told of bytes after decompression, onarrived() when
// all have come.
export async function compile(url, onprogress, onarrived = () => {}) {
  let response;
  try {
    const early = asked.get(url);
    asked.delete(url);
    response = await (early ?? fetch(url));
  } catch {
    throw new Error("The engine could not be fetched: is there a connection? Reload to try again.");
  }
  if (!response.ok) {
    throw new Error(`The engine could not be fetched (the server answered ${response.status} for ${url}); the lab may not have been built.`);
  }
  let loaded = 0;
  const counter = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      onprogress(loaded);
      controller.enqueue(chunk);
    },
    flush: onarrived,
  });
  // A response of our own has the content type that streaming insists on,
  // whatever the host says.
  const counted = new Response(response.body.pipeThrough(counter), { headers: { "content-type": "application/wasm" } });
  if (WebAssembly.compileStreaming) return WebAssembly.compileStreaming(counted);
  return WebAssembly.compile(await counted.arrayBuffer());
}

// ahead fetches a file that the worker will ask for, and resolves to its bytes, null
// where that fails: the worker then says why.
export async function ahead(url) {
  try {
    const response = await fetch(url);
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : null;
  } catch {
    return null;
  }
}
