// Reads what the map shows, once a second and after each change: the view, its places, the tiles, the chosen hexagon.

import {Poll, ask, at, post, text, token} from './api.js';
import {loadBasemap} from './basemap.js';
import {fitToPlaces, fitToValues, moveTo, redraw} from './board.js';
import {covers, frameName, frameOf} from './frames.js';
import {loadLive} from './live.js';
import {loadWorld} from './world.js';
import {showDetails} from './panel.js';
import {loadPast} from './past.js';
import {offerViews, takePlaces} from './selectors.js';
import {
  ZOOM_MIN, after, announce, endToRead, iso, key, others, parts, ratio, readViews, shown, state,
} from './state.js';
import {follow} from './time.js';

const LOOK_MS = 1000;
/** Looks from one reading of the groups that have rows to the next. */
const PLACES_EVERY = 15;

export const poll = new Poll(look, LOOK_MS);
after('values', () => poll.soon());

let placesOf = null;
let placesAge = 0;
let detailsOf = null;

async function look() {
  if (shown.views.length === 0) {
    loadWorld().then(redraw, () => {}); // the map is useful without land and names
    await loadBasemap();
    await loadViews();
    if (!shown.view) {
      return;
    }
  }
  const {view} = shown;
  const fresh = await Promise.all(readViews().map((name) => ask(`/v1/views/${encodeURIComponent(name)}`)));
  const isStale = () => readViews().join() !== fresh.map((each) => each.name).join();
  if (isStale()) {
    return; // another view was chosen meanwhile
  }
  view.watermark = leastFar(fresh.map((each) => each.watermark));
  if (placesOf !== view.name || placesAge++ % PLACES_EVERY === 0 || shown.places.groups.length === 0) {
    await loadPlaces();
  }
  if (isStale()) {
    return;
  }
  if (view.watermark === null) {
    await explainNothing();
    return;
  }
  follow();
  const missing = others().find(({name}) => !state.entities[name]);
  if (missing) {
    wait(`Enter a value of ${missing.name}: the map shows the rows of one at a time.`);
    return;
  }
  if (state.x === null) {
    moveTo(0.5, 0.4, ZOOM_MIN); // the store does not list where rows are
  }
  await loadEnd();
  await loadLive();
}

/** The watermark up to which all views are; null while one has none. */
function leastFar(watermarks) {
  return watermarks.includes(null) ? null : watermarks.sort((one, other) => Date.parse(one) - Date.parse(other))[0];
}

/** Reads what is shown of the chosen window end. */
async function loadEnd() {
  await loadTiles();
  await loadDetails();
  await loadPast();
}

let ending = null;
let endAgain = false;

/** Shows the chosen window end. While one is being read, only the latest of those chosen meanwhile is read next. */
export function showEnd() {
  endAgain = true;
  ending ??= readEnds().finally(() => {
    ending = null;
  });
  return ending;
}

async function readEnds() {
  try {
    while (endAgain) {
      endAgain = false;
      await loadEnd();
    }
  } catch {
    poll.soon(); // it meets the same failure, and reports it
  }
}

after('end', showEnd);

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

/** Shows the tiles of the window end; nothing to do if they are shown. */
async function loadTiles() {
  const end = endToRead();
  const name = frameName(end);
  if (shown.answer.key === name && covers(shown.answer.bounds)) {
    return;
  }
  const frame = await frameOf(end);
  if (frameName(endToRead()) !== name) {
    return; // something else was chosen meanwhile
  }
  shown.answer = frame;
  if (frame.refused) {
    wait(`This part of the map is too large: ${frame.refused}`);
  } else if (frame.head.status === 'OUTSIDE_MAX_AGE') {
    await explainNothing();
  } else {
    wait(frame.tiles.length > 0 ? '' : nothingHere());
  }
  if (!shown.fitted && frame.tiles.length > 0) {
    shown.fitted = true;
    fitToValues();
  }
  announce('read');
}

function nothingHere() {
  return state.end === null
    ? 'No hexagon has a row here. Press 0 to see all that have one.' : 'No hexagon has a row here at this window end.';
}

async function loadDetails() {
  const name = detailsName();
  if (!state.cell || (name === detailsOf && shown.details)) {
    return;
  }
  // The panel and the map show the same reading; rows of views without a history cannot be read as of a window end.
  const end = endToRead() ?? (shown.span && shown.answer.head ? Date.parse(shown.answer.head.window_end) : null);
  const body = {entities: [key()], ...(Number.isFinite(end ?? NaN) ? {as_of: iso(end)} : {})};
  const [values, by] = await Promise.all(readViews().map((view) => post(`/v1/views/${encodeURIComponent(view)}:read`, body)));
  if (detailsName() === name) {
    const row = values.rows[0];
    shown.details = {features: values.features, row: by ? {...row, values: quotients(values, by)} : row};
    detailsOf = name;
    showDetails();
  }
}

/** Names what the panel shows. */
function detailsName() {
  return JSON.stringify([readViews(), state.entities, state.cell, endToRead() ?? shown.answer.head?.window_end ?? shown.view.watermark]);
}

/** The values of a row, each divided by the value of the same feature in another view's row. */
function quotients(values, by) {
  return values.features.map((name, at) =>
    ratio(values.rows[0].values[at], by.rows[0].values[by.features.indexOf(name)]));
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
