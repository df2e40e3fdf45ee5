// Colours of values: from yellow to blue, even in lightness and readable with deuteranopia. On light paper more is darker, on dark
// paper brighter.

/** Steps of a ramp. */
export const STEPS = 256;

const LIGHT = {lightness: [0.93, 0.3], chroma: [0.12, 0.085, 0.1], hue: [112, 272]};
const DARK = {lightness: [0.36, 0.95], chroma: [0.1, 0.095, 0.13], hue: [268, 102]};

/** Behind the steps of a ramp: the colour of values that are infinite, because there is nothing to divide by. */
export const UNBOUNDED = STEPS;

const UNBOUNDED_LIGHT = [179, 38, 102];
const UNBOUNDED_DARK = [255, 122, 174];

/** The colours of a ramp: [red, green, blue] of 0 to 255 for each step, and for `UNBOUNDED`. */
export function ramp(dark) {
  const {lightness, chroma, hue} = dark ? DARK : LIGHT;
  const steps = Array.from({length: STEPS}, (_, step) => {
    const t = step / (STEPS - 1);
    const middle = t < 0.5 ? mix(chroma[0], chroma[1], 2 * t) : mix(chroma[1], chroma[2], 2 * t - 1);
    return srgb(mix(...lightness, t), middle, (mix(...hue, t) * Math.PI) / 180);
  });
  return [...steps, dark ? UNBOUNDED_DARK : UNBOUNDED_LIGHT];
}

/** Where on the ramp, from 0 to 1, a share of the greatest value is. The square root shows small values, too. */
export function partOf(share) {
  return Math.sqrt(share);
}

/** The step of a value, if `most` has the last one; -1 if there is nothing to colour. */
export function step(value, most) {
  if (value === Infinity) {
    return UNBOUNDED;
  }
  return value > 0 ? Math.min(STEPS - 1, Math.floor(partOf(value / most) * (STEPS - 1) + 0.5)) : -1;
}

function mix(from, to, t) {
  return from + (to - from) * t;
}

/** From OKLCH, in which equal steps look equal. */
function srgb(lightness, chroma, hue) {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((linear) => {
    const bounded = Math.min(1, Math.max(0, linear));
    return Math.round(255 * (bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * bounded ** (1 / 2.4) - 0.055));
  });
}
