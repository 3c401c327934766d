// How the place of a slider's thumb stands for a value. A scale has min, max and
// step of the slider, at(place) for the value and place(value) for its inverse.

// decades covers 1e-8 … 1. Half of the slider is for the upper decade and a half,
// where the fit changes most, and the lower decades are packed together.
export const decades = {
  min: 0,
  max: 1,
  step: 0.005,
  at: (place) => Number((10 ** exponent(place)).toPrecision(3)),
  place(value) {
    const target = Math.min(0, Math.max(-8, Math.log10(value)));
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

function exponent(place) {
  const back = 1 - place;
  return -1.6 * back - 6.4 * back ** 3;
}

// among lets the thumb rest on the given values alone; in between, a value is at
// the nearest.
export function among(values) {
  return {
    min: 0,
    max: values.length - 1,
    step: 1,
    at: (place) => values[place],
    place(value) {
      let best = 0;
      values.forEach((v, i) => {
        if (Math.abs(Math.log(v / value)) < Math.abs(Math.log(values[best] / value))) best = i;
      });
      return best;
    },
  };
}

// whole covers the whole numbers from min to max.
export function whole(min, max) {
  return { min, max, step: 1, at: (place) => place, place: (value) => value };
}
