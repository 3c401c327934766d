// How the place of a slider's thumb stands for a value. A scale has min, max and
// step of the slider, at(place) for the value and place(value) for its inverse.

// powers covers the decades from min to max, both above 0. Where there are many,
// the upper ones get most of the slider, and the lower ones are packed together.
export function powers(min, max) {
  const span = Math.log10(max / min);
  const even = span <= 4 ? 1 : 0.2; // share of the straight line in exponent
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

// among lets the thumb rest on the given values alone; in between, a value is at
// the nearest, by ratio where all are above 0.
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

// even covers the values from min to max in steps; without a step, in two hundred.
export function even(min, max, step) {
  const size = step > 0 ? step : (max - min) / 200;
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(size)));
  return { min, max, step: size, at: (place) => Number(place.toFixed(decimals)), place: (value) => value };
}
