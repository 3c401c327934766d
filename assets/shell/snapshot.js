// The picture as a PNG.

// encode makes a PNG from pixels: red, green, blue and alpha, from the top left.
export function encode({ width, height, bytes }) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const pixels = new ImageData(new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.byteLength), width, height);
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser could not make a PNG of the picture."))), "image/png");
  });
}
