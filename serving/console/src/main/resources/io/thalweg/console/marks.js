// What is drawn over the hexagons: meridians and parallels, and the borders of single hexagons.

import {outline} from './draw.js';
import {mercator} from './tiles.js';

const STEPS_DEG = [45, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
const SPACING_PIXELS = 110;
const LINE_ALPHA = 0.12;
const DEGREES_PIXELS = 11;
const HALO_PIXELS = 3;
/** Labels of parallels keep away from those of meridians and from the legend. */
const LABELS_FROM_TOP = 40;
const LABELS_FROM_BOTTOM = 75;

/** Draws texts over the map on paper of their own, so that no colour of a hexagon is below a letter. */
export class Labels {
  #lines;
  #ratio;
  #colours;

  /** Labels on a canvas; `colours` has those of `text` and `paper`. */
  constructor(lines, ratio, colours) {
    this.#lines = lines;
    this.#ratio = ratio;
    this.#colours = colours;
  }

  draw(words, x, y, pixels, bold = false) {
    const lines = this.#lines;
    lines.font = `${bold ? '600 ' : ''}${pixels * this.#ratio}px system-ui, sans-serif`;
    const halo = HALO_PIXELS * this.#ratio;
    const height = pixels * this.#ratio;
    lines.fillStyle = this.#colours.paper;
    lines.beginPath();
    lines.roundRect(x - halo, y - height * 0.85 - halo / 2, lines.measureText(words).width + 2 * halo, height * 1.1 + halo, halo);
    lines.fill();
    lines.fillStyle = this.#colours.text;
    lines.fillText(words, x, y);
  }
}

/** Draws meridians and parallels with their degrees, in a colour of [red, green, blue]. */
export function drawGraticule(lines, frame, ink, labels) {
  const {ratio} = frame;
  const {left, right, top, bottom} = frame.visible();
  const every = STEPS_DEG.filter((step) => (step / 360) * frame.pixels >= SPACING_PIXELS * ratio).at(-1) ?? STEPS_DEG[0];
  const digits = Math.max(0, Math.ceil(-Math.log10(every)));
  const label = (value, below, above) => `${Math.abs(value).toFixed(digits)}° ${value < 0 ? below : above}`;
  lines.lineWidth = ratio;
  lines.strokeStyle = `rgba(${ink.join(', ')}, ${LINE_ALPHA})`;
  const degrees = [];
  lines.beginPath();
  for (let step = Math.ceil(mercator.lng(left) / every); step * every <= mercator.lng(right); step++) {
    const x = (mercator.x(step * every) - frame.x) * frame.pixels + frame.width / 2;
    lines.moveTo(x, 0);
    lines.lineTo(x, frame.height);
    degrees.push([label(((((step * every + 180) % 360) + 360) % 360) - 180, 'W', 'E'), x + 4 * ratio, 14 * ratio]);
  }
  for (let step = Math.ceil(mercator.lat(Math.min(1, bottom)) / every); step * every <= mercator.lat(Math.max(0, top)); step++) {
    const y = (mercator.y(step * every) - frame.y) * frame.pixels + frame.height / 2;
    lines.moveTo(0, y);
    lines.lineTo(frame.width, y);
    if (y > LABELS_FROM_TOP * ratio && y < frame.height - LABELS_FROM_BOTTOM * ratio) {
      degrees.push([label(step * every, 'S', 'N'), 4 * ratio, y - 4 * ratio]);
    }
  }
  lines.stroke();
  degrees.forEach(([words, x, y]) => labels.draw(words, x, y, DEGREES_PIXELS));
}

/** Draws the border of a hexagon, with a halo so that it is visible on all colours. */
export function drawBorder(lines, frame, corners, width, dark) {
  outline(lines, frame, corners);
  lines.strokeStyle = dark ? '#12161c' : '#fff';
  lines.lineWidth = (width + 2) * frame.ratio;
  lines.stroke();
  lines.strokeStyle = dark ? '#ff8a80' : '#b3261e';
  lines.lineWidth = width * frame.ratio;
  lines.stroke();
}
