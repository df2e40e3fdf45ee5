// What the map shows: the part that the address holds, and what was read for it. Modules of the map change these objects and announce
// it; none reads the address but this one.

import {number} from './chart.js';
import {mercator} from './tiles.js';

export const ZOOM_MIN = 2;
export const ZOOM_MAX = 19;
const LAT_MAX = 85.05;
/** Of the hexagons, so that the places below them are visible. */
const OPACITY = 0.8;

/**
 * What the address holds. `per` is the view by whose values those of `view` are divided, null for none; `end` is the window end that is
 * shown, in epoch ms, null for the newest; `most` is the value of the last colour, null for the percentile in view; `opacity` of the hexagons
 * is from 0 to 1.
 */
export const state = {
  view: null, per: null, entities: {}, feature: null, end: null, x: null, y: null, zoom: null, cell: null, most: null, opacity: OPACITY,
};

/**
 * What was read. `places` is where the view has rows: groups of entities, and tiles. `span` is the window ends that can be shown,
 * from `first` to `last`, one each `every`, all in ms; null where the view keeps no history.
 */
export const shown = {
  views: [],
  view: null,
  places: {groups: [], tiles: []},
  span: null,
  answer: nothing(),
  details: null,
  /** Whether the map has moved to the values; false before the first of them. */
  fitted: false,
};

/** An answer without tiles. `bounds` is the part of the map that it covers, `key` names what was asked. */
export function nothing() {
  return {head: null, tiles: [], bounds: null, key: null};
}

const changes = new EventTarget();

/**
 * Calls a function after each change of a kind: `moved` of the map, `values` when other values are needed, `end` when another window
 * end is to be shown, `read` when values have been read.
 */
export function after(kind, call) {
  changes.addEventListener(kind, call);
}

export function announce(kind) {
  changes.dispatchEvent(new Event(kind));
}

/** Takes over what the address holds. */
export function readAddress() {
  const parameters = new URLSearchParams(location.hash.split('?')[1] ?? '');
  state.view = parameters.get('view') ?? state.view;
  state.feature = parameters.get('feature') ?? state.feature;
  state.per = parameters.get('per');
  state.cell = parameters.get('hexagon');
  const end = Date.parse(parameters.get('end') ?? '');
  state.end = Number.isFinite(end) ? end : null;
  state.most = Number(parameters.get('most')) > 0 ? Number(parameters.get('most')) : null;
  const opacity = Number(parameters.get('opacity'));
  state.opacity = opacity > 0 && opacity <= 1 ? opacity : OPACITY;
  for (const [name, value] of parameters) {
    if (name.startsWith('e.')) {
      state.entities[name.slice(2)] = value;
    }
  }
  const [lat, lng, zoom] = (parameters.get('at') ?? '').split(',').map(Number);
  if ([lat, lng, zoom].every(Number.isFinite)) {
    state.x = mercator.x(lng);
    state.y = mercator.y(Math.max(-LAT_MAX, Math.min(LAT_MAX, lat)));
    state.zoom = Math.max(ZOOM_MIN, Math.min(ZOOM_MAX, zoom));
    shown.fitted = true;
  }
}

/** Replaces the address without a new entry in the browser's history. */
export function writeAddress() {
  const parameters = new URLSearchParams({view: state.view, feature: state.feature});
  if (state.per !== null) {
    parameters.set('per', state.per);
  }
  for (const {name} of others()) {
    parameters.set(`e.${name}`, state.entities[name] ?? '');
  }
  if (state.x !== null) {
    const degrees = Math.max(2, Math.ceil(state.zoom / 3));
    parameters.set('at',
      `${mercator.lat(state.y).toFixed(degrees)},${mercator.lng(state.x).toFixed(degrees)},${state.zoom.toFixed(2)}`);
  }
  if (state.end !== null) {
    parameters.set('end', iso(state.end));
  }
  if (state.most !== null) {
    parameters.set('most', String(state.most));
  }
  if (state.opacity !== OPACITY) {
    parameters.set('opacity', String(state.opacity));
  }
  if (state.cell) {
    parameters.set('hexagon', state.cell);
  }
  history.replaceState(null, '', `#/map?${parameters.toString().replace(/%2C|%3A/g, decodeURIComponent)}`);
}

/** A time as requests and the address have it. */
export function iso(ms) {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** The views that are read: that of the map, and the one that divides it. */
export function readViews() {
  return state.per === null ? [state.view] : [state.view, state.per];
}

/**
 * The window end that requests name; null for the newest rows. A ratio is of one window end: the newest that both views have, where
 * both keep them.
 */
export function endToRead() {
  return state.end ?? (state.per === null || shown.span === null ? null : shown.span.last);
}

/** The quotient of two values: infinite where there is nothing to divide by, NaN where both are zero or missing. */
export function ratio(value, by) {
  return by > 0 ? value / by : value > 0 ? Infinity : NaN;
}

/** A value for people. */
export function valueWords(value) {
  return value === Infinity ? '÷ 0' : number(value);
}

/** The entity that is the hexagon. */
export function cellEntity() {
  return shown.view.entities.find((entity) => entity.type === 'h3');
}

/** The entities besides the cell. */
export function others() {
  return shown.view?.entities.filter((entity) => entity.type !== 'h3') ?? [];
}

/** The values of the entities besides the cell, as requests have them. */
export function where() {
  return Object.fromEntries(others().map(({name, type}) => [name, typed(state.entities[name], type)]));
}

function typed(value, type) {
  return type === 'bool' ? value === 'true' || value === true : value;
}

/** The key of the chosen hexagon. */
export function key() {
  return {[cellEntity().name]: state.cell, ...where()};
}

/** The parts of a feature's name: ring and window; null for names of another form. */
export function parts(name) {
  const match = /^k(\d+)_(\w+)$/.exec(name);
  return match && {ring: match[1], window: match[2]};
}
