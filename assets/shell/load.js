// Fetches and compiles a WebAssembly program, reports its progress, and prefetches its
// files.

// compile fetches url, unless early.js has already requested it, and compiles the program while
// it arrives. onprogress(loaded) receives the number of decompressed bytes. onarrived() is
// called after the last byte.
export async function compile(url, onprogress, onarrived = () => {}) {
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
  let loaded = 0;
  const counter = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      onprogress(loaded);
      controller.enqueue(chunk);
    },
    flush: onarrived,
  });
  // Streaming compilation requires the content type application/wasm. The host may send another
  // one, so the response is wrapped.
  const counted = new Response(response.body.pipeThrough(counter), { headers: { "content-type": "application/wasm" } });
  try {
    return await (WebAssembly.compileStreaming ? WebAssembly.compileStreaming(counted) : WebAssembly.compile(await counted.arrayBuffer()));
  } catch (error) {
    throw new Error(`The engine could not be loaded: ${url} did not arrive whole, or this browser cannot run it (${error.message}). Reload the page to try again.`);
  }
}

// ahead fetches a file before the worker asks for it. It resolves to the file's bytes, or to
// null after a failure. The worker then reports the failure.
export async function ahead(url) {
  try {
    const response = await fetch(url);
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : null;
  } catch {
    return null;
  }
}
