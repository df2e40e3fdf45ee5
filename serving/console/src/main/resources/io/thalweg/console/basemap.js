// The lines and areas over the world and below the hexagons, if the server has some: server.basemap in thalweg.yaml.

import {ask} from './api.js';
import {mercator} from './tiles.js';
import {boxed, follow, isVisible} from './world.js';

const AREA_ALPHA = 0.06;
const LINE_ALPHA = 0.3;
const LINE_PIXELS = 1.2;

let shapes = [];

/** A line of the map from the coordinates of its points in turn, in degrees. */
function line(degrees) {
  return boxed(Float64Array.from(degrees, (each, at) => (at % 2 === 0 ? mercator.x(each) : mercator.y(each))));
}

/** Reads them. */
export async function loadBasemap() {
  const {lines, areas} = await ask('/v1/console/basemap');
  shapes = [...areas.map((rings) => ({rings: rings.map(line), filled: true})), ...lines.map((each) => ({rings: [line(each)], filled: false}))];
}

/** Draws what is in view, in a colour of [red, green, blue]. */
export function drawBasemap(context, frame, ink) {
  const view = frame.visible();
  const colour = ink.join(', ');
  context.fillStyle = `rgba(${colour}, ${AREA_ALPHA})`;
  context.strokeStyle = `rgba(${colour}, ${LINE_ALPHA})`;
  context.lineWidth = LINE_PIXELS * frame.ratio;
  context.lineJoin = 'round';
  for (const {rings, filled} of shapes) {
    if (isVisible(rings[0].box, view)) {
      context.beginPath();
      for (const ring of rings) {
        follow(context, frame, view, ring);
        if (filled) {
          context.closePath();
        }
      }
      if (filled) {
        context.fill('evenodd');
      }
      context.stroke();
    }
  }
}
