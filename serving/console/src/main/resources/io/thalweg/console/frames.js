// Reads tiles: those of the newest rows, and those of a window end. The latter never change, so some are kept here, and more by the
// browser.

import {json, request} from './api.js';
import {visible} from './board.js';
import {cellEntity, iso, others, ratio, readViews, shown, state, where} from './state.js';
import {Shape, decode, mercator} from './tiles.js';

const TILES = 'application/vnd.thalweg.tiles';
/** How much more than the visible part is loaded, so that a small move needs no request. */
const MARGIN = 0.25;
/** Window ends that are kept: ten seconds of playing. */
const KEPT = 20;

const shapes = new Map();
/** By name: the promise of a frame and the bounds that it covers. The one that was used last is at the end. */
const kept = new Map();

/** Names what the map shows of a window end; null = the newest. */
export function frameName(end) {
  return JSON.stringify([shown.places.run, readViews(), others().map(({name}) => state.entities[name]), state.feature,
    end ?? shown.view.watermark, end === null]);
}

/** Whether bounds contain the visible part of the map. */
export function covers(bounds) {
  const part = visible(0);
  return bounds.left <= part.left && bounds.right >= part.right && bounds.top <= part.top && bounds.bottom >= part.bottom;
}

/** The tiles of a window end in the visible part and around it: `head`, `tiles`, `bounds`, `key`; `refused` if there are too many. */
export function frameOf(end) {
  const name = frameName(end);
  const known = kept.get(name);
  kept.delete(name);
  if (known && covers(known.bounds)) {
    kept.set(name, known);
    return known.frame;
  }
  const bounds = shown.answer.bounds && covers(shown.answer.bounds) ? shown.answer.bounds : visible(MARGIN);
  const frame = load(end, bounds, name);
  kept.set(name, {bounds, frame});
  frame.catch(() => kept.delete(name));
  if (kept.size > KEPT) {
    kept.delete(kept.keys().next().value);
  }
  return frame;
}

async function load(end, bounds, key) {
  const inherited = new Map(shown.answer.tiles.map((tile) => [tile.index, tile]));
  try {
    const [values, by] = await Promise.all(readViews().map((view) => read(view, end, bounds)));
    const {head} = values;
    const tiles = by ? divided(values.tiles, by.tiles) : values.tiles;
    tiles.forEach((tile) => tile.inherit(inherited.get(tile.index)));
    return {head, tiles, bounds, key};
  } catch (e) {
    if (e.status !== 400) {
      throw e;
    }
    return {head: null, tiles: [], bounds, key, refused: e.message};
  }
}

/** Tiles of the cells' quotients. */
function divided(tiles, by) {
  const others = new Map(by.map((tile) => [tile.index, tile]));
  return tiles.map((tile) => {
    const other = others.get(tile.index);
    return tile.withValues((value, slot) => ratio(value, other ? other.value(slot) : NaN));
  });
}

async function read(view, end, bounds) {
  const body = {region: {bbox: box(bounds)}, where: where(), features: [state.feature]};
  const answer = end === null ? newest(view, body) : asOf(view, {...body, as_of: iso(end)});
  const shape = await shapeOf(cellEntity().resolution);
  return decode(await (await answer).arrayBuffer(), shape);
}

function newest(view, body) {
  return request(`/v1/views/${encodeURIComponent(view)}:scan`,
    {method: 'POST', headers: json({accept: TILES}), body: JSON.stringify(body)});
}

/** With a GET, whose answer the browser keeps. */
function asOf(view, body) {
  const query = new URLSearchParams({q: JSON.stringify(body), run: shown.places.run});
  return request(`/v1/console/views/${encodeURIComponent(view)}/tiles?${query}`);
}

/** West, south, east, north in degrees; across the antimeridian west is greater than east. */
function box({left, right, top, bottom}) {
  const whole = right - left >= 1;
  const degrees = (x) => mercator.lng(x - Math.floor(x));
  const lat = (y) => mercator.lat(Math.min(1, Math.max(0, y)));
  return [whole ? -180 : degrees(left), lat(bottom), whole ? 180 : degrees(right), lat(top)];
}

async function shapeOf(resolution) {
  if (!shapes.has(resolution)) {
    const got = await request(`/v1/console/shapes/${resolution}`);
    shapes.set(resolution, new Shape(await got.arrayBuffer()));
  }
  return shapes.get(resolution);
}
