// Reads what the map shows, once a second and after each change: the view, its places, the tiles, the chosen hexagon.

import {Poll, ask, at, json, post, request, text, token} from './api.js';
import {fitToPlaces, fitToValues, moveTo, visible} from './board.js';
import {showDetails} from './panel.js';
import {offerViews, takePlaces} from './selectors.js';
import {ZOOM_MIN, after, announce, cellEntity, key, nothing, others, parts, shown, state, where} from './state.js';
import {Shape, decode, mercator} from './tiles.js';

const LOOK_MS = 1000;
/** Looks from one reading of the groups that have rows to the next. */
const PLACES_EVERY = 15;
const TILES = 'application/vnd.thalweg.tiles';
/** How much more than the visible part is loaded, so that a small move needs no request. */
const MARGIN = 0.25;

export const poll = new Poll(look, LOOK_MS);
after('values', () => poll.soon());

const shapes = new Map();
let placesOf = null;
let placesAge = 0;
let detailsOf = null;

async function look() {
  if (shown.views.length === 0) {
    await loadViews();
    if (!shown.view) {
      return;
    }
  }
  const {view} = shown;
  const fresh = await ask(`/v1/views/${encodeURIComponent(view.name)}`);
  if (fresh.name !== shown.view.name) {
    return; // another view was chosen meanwhile
  }
  view.watermark = fresh.watermark;
  if (placesOf !== view.name || placesAge++ % PLACES_EVERY === 0 || shown.places.groups.length === 0) {
    await loadPlaces();
  }
  if (view.watermark === null) {
    await explainNothing();
    return;
  }
  const missing = others().find(({name}) => !state.entities[name]);
  if (missing) {
    wait(`Enter a value of ${missing.name}: the map shows the rows of one at a time.`);
    return;
  }
  if (state.x === null) {
    moveTo(0.5, 0.4, ZOOM_MIN); // the store does not list where rows are
  }
  await loadTiles();
  await loadDetails();
}

async function loadViews() {
  shown.views = (await ask('/v1/views')).views.filter((each) =>
    each.entities.some((entity) => entity.type === 'h3') && each.features.every((feature) => parts(feature.name)));
  if (shown.views.length === 0) {
    wait('This server has no view with hexagons. The map shows views with rings.');
    return;
  }
  offerViews();
}

async function loadPlaces() {
  const fresh = await ask(`/v1/console/views/${encodeURIComponent(shown.view.name)}`);
  if (fresh.name !== shown.view.name) {
    return;
  }
  placesOf = fresh.name;
  takePlaces(fresh);
  if (state.x === null && fresh.tiles.length > 0) {
    fitToPlaces();
  }
}

async function loadTiles() {
  const {view} = shown;
  const key = JSON.stringify([state.view, others().map(({name}) => state.entities[name]), state.feature, view.watermark]);
  if (shown.answer.key === key && within(shown.answer.bounds)) {
    return;
  }
  const bounds = visible(MARGIN);
  const shape = await shapeOf(cellEntity().resolution);
  const body = {region: {bbox: box(bounds)}, where: where(), features: [state.feature]};
  try {
    const got = await request(`/v1/views/${encodeURIComponent(view.name)}:scan`,
      {method: 'POST', headers: json({accept: TILES}), body: JSON.stringify(body)});
    const decoded = decode(await got.arrayBuffer(), shape);
    const older = new Map(shown.answer.tiles.map((tile) => [tile.index, tile]));
    decoded.tiles.forEach((tile) => tile.inherit(older.get(tile.index)));
    shown.answer = {...decoded, bounds, key};
    if (shown.answer.head.status === 'OUTSIDE_MAX_AGE') {
      await explainNothing();
    } else {
      wait(shown.answer.tiles.length > 0 ? '' : 'No hexagon has a row here. Press 0 to see all that have one.');
    }
  } catch (e) {
    if (e.status !== 400) {
      throw e;
    }
    shown.answer = {...nothing(), bounds, key};
    wait(`This part of the map is too large: ${e.message}`);
  }
  if (!shown.fitted && shown.answer.tiles.length > 0) {
    shown.fitted = true;
    fitToValues();
  }
  announce('read');
}

function within(bounds) {
  const part = visible(0);
  return bounds.left <= part.left && bounds.right >= part.right && bounds.top <= part.top && bounds.bottom >= part.bottom;
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

async function loadDetails() {
  const of = JSON.stringify([state.view, state.entities, state.cell, shown.view.watermark]);
  if (!state.cell || (of === detailsOf && shown.details)) {
    return;
  }
  const {cell} = state;
  const read = await post(`/v1/views/${encodeURIComponent(shown.view.name)}:read`, {entities: [key()]});
  if (state.cell === cell) {
    shown.details = {features: read.features, row: read.rows[0]};
    detailsOf = of;
    showDetails();
  }
}

/** What the map waits for, in the words of /readyz. */
async function explainNothing() {
  const {view} = shown;
  const ready = await fetchReadiness();
  const reason = ready.views?.[view.name]?.reason ?? 'no row has been written yet';
  const windows = [...new Set(view.features.map((feature) => parts(feature.name).window))];
  wait([
    `View ${view.name} has no current values yet: ${ready.job ?? reason}.`,
    `The job reads events and counts them by hexagon. Colours appear at the first window end; values of the window ${windows.at(-1)} are`
      + ' complete once that much event time has passed.',
  ].join(' '));
}

async function fetchReadiness() {
  try {
    // Not ready is an answer, too: 503 with the reasons.
    const got = await fetch('/readyz', {headers: token() ? {authorization: `Bearer ${token()}`} : {}});
    return await got.json();
  } catch {
    return {};
  }
}

function wait(message) {
  at('#waiting').hidden = message === '';
  text(at('#waiting'), message);
}
