// The world below the hexagons: land, water, borders and cities of Natural Earth, as build/world.py has written them.

import {request} from './api.js';
import {mercator} from './tiles.js';

const LINE_PIXELS = 1;
const CITY_PIXELS = 2.5;
/** Between the names of two cities. */
const NAMES_APART_PIXELS = 70;
const LABEL_PIXELS = 12;
const LAT_MAX = 85;

let world = null;

/** Decodes what build/world.py writes. */
class Numbers {
  #bytes;
  #at = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  natural() {
    let [value, factor] = [0, 1];
    while (this.#bytes[this.#at] >= 0x80) {
      value += (this.#bytes[this.#at++] - 0x80) * factor;
      factor *= 0x80;
    }
    return value + this.#bytes[this.#at++] * factor;
  }

  integer() {
    const value = this.natural();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Points on the map, x and y in turn. */
  points(steps) {
    const points = new Float64Array(2 * this.natural());
    let [lng, lat] = [0, 0];
    for (let at = 0; at < points.length; at += 2) {
      lng += this.integer();
      lat += this.integer();
      points[at] = mercator.x(lng / steps);
      points[at + 1] = mercator.y(Math.max(-LAT_MAX, Math.min(LAT_MAX, lat / steps)));
    }
    return points;
  }

  list(read) {
    return Array.from({length: this.natural()}, read);
  }

  text() {
    const length = this.natural();
    this.#at += length;
    return new TextDecoder().decode(this.#bytes.subarray(this.#at - length, this.#at));
  }
}

/** A shape and the box around it; points are x and y in turn. */
export function boxed(points) {
  const box = {left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity};
  for (let at = 0; at < points.length; at += 2) {
    box.left = Math.min(box.left, points[at]);
    box.right = Math.max(box.right, points[at]);
    box.top = Math.min(box.top, points[at + 1]);
    box.bottom = Math.max(box.bottom, points[at + 1]);
  }
  return {points, box};
}

function joined(parts) {
  const points = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    points.set(part, at);
    at += part.length;
  }
  return points;
}

function reversed(points) {
  const other = new Float64Array(points.length);
  for (let at = 0; at < points.length; at += 2) {
    other[at] = points[points.length - 2 - at];
    other[at + 1] = points[points.length - 1 - at];
  }
  return other;
}

/** Reads the world; without it, the map has no land and no names. */
export async function loadWorld() {
  const packed = (await request('world.bin')).body.pipeThrough(new DecompressionStream('gzip'));
  const numbers = new Numbers(new Uint8Array(await new Response(packed).arrayBuffer()));
  const steps = numbers.natural();
  const lines = numbers.list(() => ({border: numbers.natural() === 1, ...boxed(numbers.points(steps))}));
  const land = numbers.list(() => boxed(joined(numbers.list(() => {
    const line = numbers.integer();
    return line < 0 ? reversed(lines[-line - 1].points) : lines[line].points;
  }))));
  const lakes = numbers.list(() => boxed(numbers.points(steps)));
  const cities = numbers.list(() => ({name: numbers.text(), at: numbers.points(steps)}));
  world = {lines, land, lakes, cities};
}

/** Whether a box is in view, in some copy of the world. */
export function isVisible({left, right, top, bottom}, view) {
  const turn = turns(left, right, view);
  return left - turn <= view.right && right - turn >= view.left && top <= view.bottom && bottom >= view.top;
}

/** The turns around the world from the view to a shape. */
function turns(left, right, view) {
  return Math.round((left + right) / 2 - (view.left + view.right) / 2);
}

/** Adds a shape to the path. Of parts that are outside on one side of the view, only the ends are drawn. */
export function follow(context, frame, view, {points, box}) {
  const turn = turns(box.left, box.right, view);
  const side = (at) => {
    const x = points[at] - turn;
    const y = points[at + 1];
    return (x < view.left ? 1 : x > view.right ? 2 : 0) | (y < view.top ? 4 : y > view.bottom ? 8 : 0);
  };
  const to = (at, call) => context[call](
    (points[at] - turn - frame.x) * frame.pixels + frame.width / 2, (points[at + 1] - frame.y) * frame.pixels + frame.height / 2);
  to(0, 'moveTo');
  let outside = side(0);
  let skipped = -1;
  for (let at = 2; at < points.length; at += 2) {
    const next = side(at);
    if ((outside & next) !== 0) {
      outside &= next;
      skipped = at;
      continue;
    }
    if (skipped >= 0) {
      to(skipped, 'lineTo');
      skipped = -1;
    }
    to(at, 'lineTo');
    outside = next;
  }
  if (skipped >= 0) {
    to(skipped, 'lineTo');
  }
}

/** Draws land, water and borders: `colours` has those of `water`, `land`, `coast` and `border`. */
export function drawWorld(context, frame, colours) {
  if (world === null) {
    return;
  }
  const view = frame.visible();
  const fill = (shapes, colour, lined) => {
    context.fillStyle = colour;
    context.strokeStyle = lined;
    for (const shape of shapes.filter((each) => isVisible(each.box, view))) {
      context.beginPath();
      follow(context, frame, view, shape);
      context.closePath();
      context.fill();
      context.stroke();
    }
  };
  context.lineJoin = 'round';
  context.lineWidth = LINE_PIXELS * frame.ratio;
  context.fillStyle = colours.water;
  context.fillRect(0, 0, frame.width, frame.height);
  fill(world.land, colours.land, colours.land);
  fill(world.lakes, colours.water, colours.coast);
  for (const border of [false, true]) {
    context.strokeStyle = border ? colours.border : colours.coast;
    context.setLineDash(border ? [4 * frame.ratio, 3 * frame.ratio] : []);
    context.beginPath();
    for (const line of world.lines) {
      if (line.border === border && isVisible(line.box, view) && !isSeam(line.points)) {
        follow(context, frame, view, line);
      }
    }
    context.stroke();
  }
  context.setLineDash([]);
}

/** Whether a line is no coast but where the map is cut: along the antimeridian or at the pole. */
function isSeam(points) {
  const along = (first, value) => points.every((each, at) => at % 2 !== first || Math.abs(each - value) < 1e-6);
  return along(0, 0) || along(0, 1) || along(1, mercator.y(-LAT_MAX));
}

/** Draws the cities in view and their names, the first of those that are close to each other; `label` draws a name. */
export function drawCities(context, frame, colour, label) {
  const taken = [];
  for (const {name, at} of (world?.cities ?? []).toReversed()) {
    const [x, y] = frame.at(at[0], at[1]);
    const apart = NAMES_APART_PIXELS * frame.ratio;
    if (x < 0 || y < 0 || x > frame.width || y > frame.height
      || taken.some(([tx, ty]) => Math.abs(tx - x) < 1.6 * apart && Math.abs(ty - y) < apart / 2)) {
      continue;
    }
    taken.push([x, y]);
    context.fillStyle = colour;
    context.beginPath();
    context.arc(x, y, CITY_PIXELS * frame.ratio, 0, 2 * Math.PI);
    context.fill();
    label(name, x + 6 * frame.ratio, y + 4 * frame.ratio, LABEL_PIXELS, true);
  }
}
