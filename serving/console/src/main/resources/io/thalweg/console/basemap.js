// The lines and areas below the hexagons, if the server has some: server.basemap in thalweg.yaml.

import {ask} from './api.js';
import {mercator} from './tiles.js';

const AREA_ALPHA = 0.06;
const LINE_ALPHA = 0.3;
const LINE_PIXELS = 1.2;

let shapes = [];

/** A line of the map: the coordinates of its points in turn, and the box around them. */
function line(degrees) {
  const points = new Float64Array(degrees.length);
  const box = {left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity};
  for (let at = 0; at < degrees.length; at += 2) {
    const [x, y] = [mercator.x(degrees[at]), mercator.y(degrees[at + 1])];
    points[at] = x;
    points[at + 1] = y;
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return {points, box};
}

/** Reads them. */
export async function loadBasemap() {
  const {lines, areas} = await ask('/v1/console/basemap');
  shapes = [...areas.map((rings) => ({rings: rings.map(line), filled: true})), ...lines.map((each) => ({rings: [line(each)], filled: false}))];
}

/** Whether a box is in view, in some copy of the world. */
function isVisible({left, right, top, bottom}, view) {
  const turn = Math.round((left + right) / 2 - (view.left + view.right) / 2);
  return left - turn <= view.right && right - turn >= view.left && top <= view.bottom && bottom >= view.top;
}

function follow(context, frame, {points}, closed) {
  const [x, y] = frame.at(points[0], points[1]);
  context.moveTo(x, y);
  for (let at = 2; at < points.length; at += 2) {
    context.lineTo(x + (points[at] - points[0]) * frame.pixels, y + (points[at + 1] - points[1]) * frame.pixels);
  }
  if (closed) {
    context.closePath();
  }
}

/** Draws what is in view, in a colour of [red, green, blue]. */
export function drawBasemap(canvas, frame, ink) {
  const context = canvas.getContext('2d');
  context.clearRect(0, 0, frame.width, frame.height);
  const view = frame.visible();
  const colour = ink.join(', ');
  context.fillStyle = `rgba(${colour}, ${AREA_ALPHA})`;
  context.strokeStyle = `rgba(${colour}, ${LINE_ALPHA})`;
  context.lineWidth = LINE_PIXELS * frame.ratio;
  context.lineJoin = 'round';
  for (const {rings, filled} of shapes) {
    if (isVisible(rings[0].box, view)) {
      context.beginPath();
      rings.forEach((ring) => follow(context, frame, ring, filled));
      if (filled) {
        context.fill('evenodd');
      }
      context.stroke();
    }
  }
}
