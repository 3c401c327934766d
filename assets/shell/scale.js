// Scales map the position of a slider's thumb to a value. A scale has the slider's min, max and
// step. at(place) returns the value for a position, and place(value) is its inverse.

// powers covers the decades from min to max, both above 0. If there are more than four decades,
// the upper decades take most of the slider and the lower ones are compressed.
export function powers(min, max) {
  const span = Math.log10(max / min);
  const even = span <= 4 ? 1 : 0.2; // weight of the linear term in the exponent
  const exponent = (place) => {
    const back = 1 - place;
    return Math.log10(max) - span * (even * back + (1 - even) * back ** 3);
  };
  return {
    min: 0,
    max: 1,
    step: 0.005,
    at: (place) => Number((10 ** exponent(place)).toPrecision(3)),
    place(value) {
      const target = Math.log10(Math.min(max, Math.max(min, value)));
      let lo = 0;
      let hi = 1;
      for (let i = 0; i < 30; i++) {
        const mid = (lo + hi) / 2;
        if (exponent(mid) < target) lo = mid;
        else hi = mid;
      }
      return hi;
    },
  };
}

// among restricts the thumb to the given values. Any other value maps to the nearest of them;
// if all are above 0, to the nearest by ratio.
export function among(values) {
  const measure = Math.min(...values) > 0 ? Math.log : Number;
  return {
    min: 0,
    max: values.length - 1,
    step: 1,
    at: (place) => values[place],
    place(value) {
      let best = 0;
      values.forEach((v, i) => {
        if (Math.abs(measure(v) - measure(value)) < Math.abs(measure(values[best]) - measure(value))) best = i;
      });
      return best;
    },
  };
}

// even covers the values from min to max in equal steps; the default is two hundred steps.
export function even(min, max, step) {
  const size = step > 0 ? step : (max - min) / 200;
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(size)));
  return { min, max, step: size, at: (place) => Number(place.toFixed(decimals)), place: (value) => value };
}
