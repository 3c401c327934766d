// Checks the browser features that a session needs. The result names a missing feature and a
// remedy.

// The smallest module with a SIMD instruction (i8x16.popcnt of a splat).
const simdModule = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

// whyNoSession returns the reason why this browser cannot compute, or "" if it can.
export function whyNoSession() {
  if (typeof WebAssembly !== "object") {
    return "The lab computes with WebAssembly, which this browser lacks. A current Firefox, Chrome, Edge or Safari has it.";
  }
  if (!WebAssembly.validate(simdModule)) {
    return "The lab computes with WebAssembly SIMD, which this browser lacks. Firefox and Chrome have it since 2021, Safari since 2023.";
  }
  if (typeof Worker !== "function" || typeof MessageChannel !== "function") {
    return "The lab computes in Web Workers, which this browser lacks. A current Firefox, Chrome, Edge or Safari has them.";
  }
  return "";
}
