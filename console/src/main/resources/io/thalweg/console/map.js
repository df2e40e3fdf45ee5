// The map: a feature of a view by hexagon, and all features of a chosen hexagon. The address holds what is shown.

import {Poll, ask, at, json, post, request, text, token} from './api.js';
import {number} from './chart.js';
import {curl, get} from './commands.js';
import {Frame, GlRenderer, Look, PixelRenderer, drawPolygons} from './draw.js';
import {drawBorder, drawGraticule} from './marks.js';
import {STEPS, partOf, ramp} from './ramp.js';
import {Cells, Shape, decode, mercator, way} from './tiles.js';

const LOOK_MS = 1000;
/** Looks from one reading of the groups that have rows to the next. */
const PLACES_EVERY = 15;
const STATUS_MS = 5000;
const TILES = 'application/vnd.thalweg.tiles';
const WORLD_PIXELS = 256;
const ZOOM_MIN = 2;
const ZOOM_MAX = 19;
const PERCENTILE = 0.98;
const HIGHEST = 20;
/** How much more than the visible part is loaded, so that a small move needs no request. */
const MARGIN = 0.25;
const MOVED_PIXELS = 4;
const EARTH_METRES = 40_075_017;
const LEGEND_SHARES = [0, 0.1, 0.4, 1];
const LAT_MAX = 85.05;

const board = at('#board');
const cellsCanvas = at('#cells');
const linesCanvas = at('#lines');
const dark = matchMedia('(prefers-color-scheme: dark)');

/** What the address holds. `most` is the value of the last colour, null for the percentile in view. */
const state = {view: null, entities: {}, feature: null, x: null, y: null, zoom: null, cell: null, most: null};

let views = [];
let view = null;
/** Where the view has rows: groups of entities, and tiles. */
let places = {groups: [], tiles: []};
let placesAge = 0;
const shapes = new Map();
let answer = {head: null, tiles: [], bounds: null, key: null};
let details = null;
let detailsOf = null;
const renderer = newRenderer();
let scheduled = false;
let settling = null;
let statusAt = 0;
let mostInView = 1;
let fitted = false;
let hovered = null;

function newRenderer() {
  try {
    return new GlRenderer(cellsCanvas);
  } catch {
    return new PixelRenderer(cellsCanvas);
  }
}

// --- the address ---------------------------------------------------------------------------------------------------------------

function readAddress() {
  const parameters = new URLSearchParams(location.hash.split('?')[1] ?? '');
  state.view = parameters.get('view') ?? state.view;
  state.feature = parameters.get('feature') ?? state.feature;
  state.cell = parameters.get('hexagon');
  state.most = Number(parameters.get('most')) > 0 ? Number(parameters.get('most')) : null;
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
    fitted = true;
  }
}

function writeAddress() {
  const parameters = new URLSearchParams({view: state.view, feature: state.feature});
  for (const {name} of others()) {
    parameters.set(`e.${name}`, state.entities[name] ?? '');
  }
  if (state.x !== null) {
    const degrees = Math.max(2, Math.ceil(state.zoom / 3));
    parameters.set('at',
      `${mercator.lat(state.y).toFixed(degrees)},${mercator.lng(state.x).toFixed(degrees)},${state.zoom.toFixed(2)}`);
  }
  if (state.most !== null) {
    parameters.set('most', String(state.most));
  }
  if (state.cell) {
    parameters.set('hexagon', state.cell);
  }
  history.replaceState(null, '', `#/map?${parameters.toString().replaceAll('%2C', ',')}`);
}

// --- the view ------------------------------------------------------------------------------------------------------------------

function cellEntity() {
  return view.entities.find((entity) => entity.type === 'h3');
}

/** The entities besides the cell. */
function others() {
  return view?.entities.filter((entity) => entity.type !== 'h3') ?? [];
}

function cells() {
  return new Cells(cellEntity().resolution);
}

/** The parts of a feature's name: ring and window; null for names of another form. */
function parts(name) {
  const match = /^k(\d+)_(\w+)$/.exec(name);
  return match && {ring: match[1], window: match[2]};
}

async function loadViews() {
  views = (await ask('/v1/views')).views.filter((each) =>
    each.entities.some((entity) => entity.type === 'h3') && each.features.every((feature) => parts(feature.name)));
  if (views.length === 0) {
    wait('This server has no view with hexagons. The map shows views with rings.');
    return;
  }
  at('#view').replaceChildren(...views.map((each) => new Option(each.name, each.name)));
  chooseView(views.some((each) => each.name === state.view) ? state.view : views[0].name);
}

function chooseView(name) {
  view = views.find((each) => each.name === name);
  state.view = name;
  at('#view').value = name;
  const names = view.features.map((feature) => feature.name);
  if (!names.includes(state.feature)) {
    state.feature = names.includes('k5_8m') ? 'k5_8m' : names[0];
  }
  places = {groups: [], tiles: []};
  placesAge = 0;
  drawGrid();
  drawEntities();
  forget();
}

/** Forgets the shown values, because the view or an entity has changed. */
function forget() {
  answer = {head: null, tiles: [], bounds: null, key: null};
  details = null;
  showDetails();
  redraw();
  poll.soon();
}

async function loadPlaces() {
  const fresh = await ask(`/v1/console/views/${encodeURIComponent(view.name)}`);
  if (fresh.name !== view.name) {
    return;
  }
  const before = JSON.stringify(places.groups.map((group) => group.entities));
  places = fresh;
  places.groups.sort((one, other) => other.tiles - one.tiles || (one.last_end < other.last_end ? 1 : -1));
  const known = places.groups.map((group) => group.entities);
  const same = (group) => others().every(({name}) => String(group[name]) === String(state.entities[name]));
  if (known.length > 0 && !known.some(same)) {
    state.entities = {...state.entities, ...known[0]};
  }
  if (before !== JSON.stringify(known)) {
    drawEntities();
  }
  if (state.x === null && places.tiles.length > 0) {
    fitTo(places.tiles.map(({lat, lng}) => [mercator.x(lng), mercator.y(lat)]), 9);
    fitted = false;
  }
}

/** A list box for each entity, or a field where the store does not know the groups. */
function drawEntities() {
  at('#entities').replaceChildren(...others().map(({name}) => {
    const label = document.createElement('label');
    const values = [...new Set(places.groups.map((group) => String(group.entities[name])))].sort();
    const choice = document.createElement(values.length > 0 ? 'select' : 'input');
    choice.id = `entity-${name}`;
    if (values.length > 0) {
      choice.append(...values.map((value) => new Option(value, value)));
    } else {
      choice.placeholder = `a value of ${name}`;
    }
    choice.value = state.entities[name] ?? '';
    choice.addEventListener('change', () => {
      state.entities[name] = choice.value.trim();
      writeAddress();
      forget();
    });
    label.append(`${name} `, choice);
    return label;
  }));
}

// --- features ------------------------------------------------------------------------------------------------------------------

/** Rings down, windows across: chooses the feature of the map, and shows the values of the chosen hexagon. */
function drawGrid() {
  const features = view.features.map((feature) => ({name: feature.name, ...parts(feature.name)}));
  const rings = [...new Set(features.map((feature) => feature.ring))];
  const windows = [...new Set(features.map((feature) => feature.window))];
  const grid = at('#features');
  const head = document.createElement('tr');
  head.append(th('col', 'ring'), ...windows.map((window) => th('col', window)));
  const rows = rings.map((ring) => {
    const row = document.createElement('tr');
    row.append(th('row', ring), ...windows.map((window) => {
      const cell = document.createElement('td');
      const feature = features.find((each) => each.ring === ring && each.window === window);
      if (feature) {
        cell.append(featureButton(feature));
      }
      return cell;
    }));
    return row;
  });
  grid.replaceChildren(head, ...rows);
  grid.dataset.windows = String(windows.length);
  pressFeature();
}

function th(scope, label) {
  const head = document.createElement('th');
  head.scope = scope;
  head.textContent = label;
  return head;
}

function featureButton({name}) {
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset.feature = name;
  button.addEventListener('click', () => chooseFeature(name));
  return button;
}

function chooseFeature(name) {
  state.feature = name;
  pressFeature();
  writeAddress();
  poll.soon();
}

/** The chosen feature is the grid's only tab stop; arrow keys reach the others. */
function pressFeature() {
  for (const button of at('#features').querySelectorAll('button')) {
    const chosen = button.dataset.feature === state.feature;
    button.setAttribute('aria-pressed', String(chosen));
    button.tabIndex = chosen ? 0 : -1;
    button.setAttribute('aria-label', spoken(button.dataset.feature));
    text(button, shown(button.dataset.feature));
  }
  const {ring, window} = parts(state.feature);
  text(at('#feature-name'), state.feature);
  text(at('#feature-words'), ring === '0' ? `the hexagon itself, ${window}` : `${ring} rings of neighbours, ${window}`);
}

function featureValue(name) {
  const index = details?.features.indexOf(name) ?? -1;
  return index < 0 ? null : details.row.values[index];
}

function shown(name) {
  return details ? number(Number(featureValue(name) ?? NaN)) : '·';
}

function spoken(name) {
  const {ring, window} = parts(name);
  return `ring ${ring}, window ${window}${details ? `: ${shown(name)}` : ''}`;
}

at('#features').addEventListener('keydown', (event) => {
  const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -at('#features').dataset.windows, ArrowDown: +at('#features').dataset.windows};
  const buttons = [...at('#features').querySelectorAll('button')];
  const next = buttons[buttons.indexOf(document.activeElement) + (step[event.key] ?? NaN)];
  if (next) {
    event.preventDefault();
    next.focus();
  }
});

// --- reading -------------------------------------------------------------------------------------------------------------------

const poll = new Poll(look, LOOK_MS);

async function look() {
  if (views.length === 0) {
    await loadViews();
    if (!view) {
      return;
    }
  }
  const fresh = await ask(`/v1/views/${encodeURIComponent(view.name)}`);
  if (fresh.name !== view.name) {
    return; // another view was chosen meanwhile
  }
  view.watermark = fresh.watermark;
  if (placesAge++ % PLACES_EVERY === 0 || places.groups.length === 0) {
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

async function loadTiles() {
  const key = JSON.stringify([state.view, others().map(({name}) => state.entities[name]), state.feature, view.watermark]);
  if (answer.key === key && within(answer.bounds)) {
    return;
  }
  const bounds = visible(MARGIN);
  const shape = await shapeOf(cellEntity().resolution);
  const body = {region: {bbox: box(bounds)}, where: where(), features: [state.feature]};
  try {
    const got = await request(`/v1/views/${encodeURIComponent(view.name)}:scan`,
      {method: 'POST', headers: json({accept: TILES}), body: JSON.stringify(body)});
    const decoded = decode(await got.arrayBuffer(), shape);
    const older = new Map(answer.tiles.map((tile) => [tile.index, tile]));
    decoded.tiles.forEach((tile) => tile.inherit(older.get(tile.index)));
    answer = {...decoded, bounds, key};
    if (answer.head.status === 'OUTSIDE_MAX_AGE') {
      await explainNothing();
    } else {
      wait(answer.tiles.length > 0 ? '' : 'No hexagon has a row here. Press 0 to see all that have one.');
    }
  } catch (e) {
    if (e.status !== 400) {
      throw e;
    }
    answer = {head: null, tiles: [], bounds, key};
    wait(`This part of the map is too large: ${e.message}`);
  }
  if (!fitted && answer.tiles.length > 0) {
    fitted = true;
    fitToValues();
  }
  settle();
}

function where() {
  return Object.fromEntries(others().map(({name, type}) => [name, typed(state.entities[name], type)]));
}

function typed(value, type) {
  return type === 'bool' ? value === 'true' || value === true : value;
}

async function shapeOf(resolution) {
  if (!shapes.has(resolution)) {
    const got = await request(`/v1/console/shapes/${resolution}`);
    shapes.set(resolution, new Shape(await got.arrayBuffer()));
  }
  return shapes.get(resolution);
}

async function loadDetails() {
  const of = JSON.stringify([state.view, state.entities, state.cell, view.watermark]);
  if (!state.cell || of === detailsOf) {
    return;
  }
  const cell = state.cell;
  const read = await post(`/v1/views/${encodeURIComponent(view.name)}:read`, {entities: [key()]});
  if (state.cell === cell) {
    details = {features: read.features, row: read.rows[0]};
    detailsOf = of;
    showDetails();
  }
}

function key() {
  return {[cellEntity().name]: state.cell, ...where()};
}

/** What the map waits for, in the words of /readyz. */
async function explainNothing() {
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

// --- geometry ------------------------------------------------------------------------------------------------------------------

function scale() {
  return WORLD_PIXELS * 2 ** state.zoom;
}

function frame() {
  const ratio = Math.min(2, devicePixelRatio);
  const width = Math.round(board.clientWidth * ratio);
  const height = Math.round(board.clientHeight * ratio);
  for (const canvas of [cellsCanvas, linesCanvas]) {
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
  }
  return new Frame(state.x, state.y, scale() * ratio, width, height, ratio);
}

/** The visible part of the map, grown by a share of itself. */
function visible(margin) {
  const halfX = (board.clientWidth / scale() / 2) * (1 + 2 * margin);
  const halfY = (board.clientHeight / scale() / 2) * (1 + 2 * margin);
  return {left: state.x - halfX, right: state.x + halfX, top: state.y - halfY, bottom: state.y + halfY};
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

/** The point of the map at a pixel of the board. */
function pointAt(px, py) {
  return [state.x + (px - board.clientWidth / 2) / scale(), state.y + (py - board.clientHeight / 2) / scale()];
}

/** The cell at a point of the map: its tile, slot and text; null where no tile with rows is. */
export function pick(x, y) {
  for (const tile of answer.tiles) {
    const slot = tile.slotAt(x, y);
    if (slot >= 0) {
      return {tile, slot, cell: cells().text(tile.index, slot)};
    }
  }
  return null;
}

/** The same for degrees. */
export function pickAt(lat, lng) {
  return pick(mercator.x(lng), mercator.y(lat))?.cell ?? null;
}

function chosen() {
  if (!state.cell || !view) {
    return null;
  }
  const {tile: index, slot} = cells().place(state.cell);
  const tile = answer.tiles.find((each) => each.index === index);
  return tile ? {tile, slot, cell: state.cell} : null;
}

function fitTo(points, zoomMax) {
  const xs = points.map(([x]) => points[0][0] + way(points[0][0], x));
  const ys = points.map(([, y]) => y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const across = board.clientWidth / WORLD_PIXELS / Math.max(right - left, 1e-9);
  const down = board.clientHeight / WORLD_PIXELS / Math.max(bottom - top, 1e-9);
  moveTo((left + right) / 2, (top + bottom) / 2, Math.min(zoomMax, Math.log2(0.9 * Math.min(across, down))));
}

/** Shows all hexagons that have a value of the feature. */
function fitToValues() {
  let [first, left, right, top, bottom] = [null, 0, 0, 1, 0];
  for (const {x, y} of present()) {
    first ??= x;
    left = Math.min(left, way(first, x));
    right = Math.max(right, way(first, x));
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  if (first !== null) {
    fitTo([[first + left, top], [first + right, bottom]], 15);
  }
}

/** The cells with a value above zero. */
function* present() {
  for (const tile of answer.tiles) {
    const positions = tile.positions?.();
    if (positions) {
      for (let slot = 0; slot < tile.slots; slot++) {
        if (tile.values[slot] > 0) {
          yield {tile, slot, value: tile.values[slot], x: positions[2 * slot], y: positions[2 * slot + 1]};
        }
      }
    } else {
      for (const {slot, value} of tile.cells()) {
        const [x, y] = tile.centre(slot);
        yield {tile, slot, value, x, y};
      }
    }
  }
}

function* presentInView() {
  const {left, right, top, bottom} = visible(0);
  const half = (right - left) / 2;
  for (const each of present()) {
    if (Math.abs(way(state.x, each.x)) <= half && each.y >= top && each.y <= bottom && each.value > 0) {
      yield each;
    }
  }
}

function moveTo(x, y, zoom) {
  state.x = x - Math.floor(x);
  state.y = Math.min(1, Math.max(0, y));
  state.zoom = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, zoom));
  redraw();
  clearTimeout(settling);
  settling = setTimeout(settle, 150);
}

/** Zooms and keeps the point under a pixel of the board where it is. */
function zoomAt(px, py, by) {
  const [x, y] = pointAt(px, py);
  const zoom = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, state.zoom + by));
  const after = WORLD_PIXELS * 2 ** zoom;
  moveTo(x - (px - board.clientWidth / 2) / after, y - (py - board.clientHeight / 2) / after, zoom);
}

/** After a move or an answer: the colour scale, the table and the address follow. */
function settle() {
  if (!view || state.x === null) {
    return;
  }
  const inView = [...presentInView()];
  const values = Float64Array.from(inView, (each) => each.value).sort();
  mostInView = values.length === 0 ? 1 : nice(values[Math.floor(PERCENTILE * (values.length - 1))]);
  showHighest(inView);
  showStatus(inView.length);
  redraw();
  writeAddress();
  poll.soon();
}

/** The next number of the form 1, 1.5, 2, 3, 5 or 7 times a power of ten, so that the scale stays while values move a little. */
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 1.5, 2, 3, 5, 7, 10].find((each) => each * power >= value * 0.999999);
}

function most() {
  return state.most ?? mostInView;
}

// --- drawing -------------------------------------------------------------------------------------------------------------------

function redraw() {
  if (!scheduled) {
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      draw();
    });
  }
}

function lookOf() {
  return new Look(most(), ramp(dark.matches), ink());
}

function ink() {
  return dark.matches ? [230, 233, 238] : [27, 36, 48];
}

function draw() {
  board.classList.toggle('blank', state.x === null);
  if (state.x === null || board.clientWidth === 0) {
    return;
  }
  const current = frame();
  const looks = lookOf();
  renderer.draw(current, answer.tiles, looks);
  const lines = linesCanvas.getContext('2d');
  lines.clearRect(0, 0, current.width, current.height);
  drawPolygons(lines, current, answer.tiles, looks);
  drawGraticule(lines, current, ink());
  for (const [mark, width] of [[hovered, 1.5], [chosen(), 3]]) {
    if (mark && answer.tiles.includes(mark.tile)) {
      drawBorder(lines, current, mark.tile.corners(mark.slot), width, dark.matches);
    }
  }
  showLegend();
}

function showLegend() {
  const colours = ramp(dark.matches);
  const bar = at('#ramp');
  const key = `${dark.matches} ${most()}`;
  if (bar.dataset.key === key) {
    return;
  }
  bar.dataset.key = key;
  bar.width = STEPS;
  bar.height = 1;
  const context = bar.getContext('2d');
  colours.forEach(([red, green, blue], step) => {
    context.fillStyle = `rgb(${red}, ${green}, ${blue})`;
    context.fillRect(step, 0, 1, 1);
  });
  at('#ticks').replaceChildren(...LEGEND_SHARES.map((share) => {
    const tick = document.createElement('span');
    tick.textContent = (share === 1 ? '≥ ' : '') + number(share * most());
    tick.style.left = `${100 * partOf(share)}%`;
    return tick;
  }));
}

function showScaleBar() {
  const metres = (EARTH_METRES * Math.cos((mercator.lat(state.y) * Math.PI) / 180)) / scale();
  const power = 10 ** Math.floor(Math.log10(100 * metres));
  const length = power * [5, 2, 1].find((each) => each * power <= 100 * metres);
  at('#scale-bar').style.width = `${length / metres}px`;
  text(at('#scale-bar'), length >= 1000 ? `${length / 1000} km` : `${number(length)} m`);
}

// --- text ----------------------------------------------------------------------------------------------------------------------

function time(iso) {
  return iso ? `${iso.slice(11, 19)} UTC` : '–';
}

function showStatus(count) {
  showScaleBar();
  const now = performance.now();
  if (now - statusAt < STATUS_MS && at('#status').textContent !== '') {
    return;
  }
  statusAt = now;
  text(at('#status'), answer.head === null ? ''
    : `${number(count)} hexagons with a value in view; window end ${time(answer.head.window_end)}`);
}

/** The text alternative of the map. */
function showHighest(inView) {
  const highest = inView.sort((one, other) => other.value - one.value).slice(0, HIGHEST);
  const body = at('#highest tbody');
  body.replaceChildren(...highest.map(({tile, slot, value, x, y}) => {
    const cell = cells().text(tile.index, slot);
    const row = document.createElement('tr');
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = cell;
    button.addEventListener('click', () => {
      select(cell);
      moveTo(x, y, state.zoom);
    });
    row.insertCell().append(button);
    row.insertCell().textContent = number(value);
    row.insertCell().textContent = `${mercator.lat(y).toFixed(4)}, ${mercator.lng(x).toFixed(4)}`;
    row.cells[1].className = 'n';
    return row;
  }));
  text(at('#highest-count'), highest.length === 0 ? 'No hexagon in view has a value.' : '');
}

function select(cell) {
  state.cell = cell;
  details = null;
  detailsOf = null;
  showDetails();
  writeAddress();
  redraw();
  poll.soon();
}

function showDetails() {
  const row = details?.row;
  at('#details').classList.toggle('chosen', Boolean(state.cell));
  at('#commands').hidden = !state.cell;
  at('#facts').hidden = !state.cell;
  text(at('#chosen'), state.cell ? `Hexagon ${state.cell}` : 'Choose a hexagon on the map to read its values.');
  text(at('#fact-status'), row?.status ?? '…');
  text(at('#fact-end'), time(row?.window_end));
  text(at('#fact-age'), row?.age_ms === undefined || row.age_ms === null ? '–' : `${number(row.age_ms / 1000)} s`);
  text(at('#fact-finality'), row?.finality ?? '–');
  pressFeature();
}

function command() {
  const server = `${location.protocol}//${location.hostname}:${places.port}`;
  return {server, view: view.name, entities: key(), feature: state.feature, token: token() !== ''};
}

async function copy(command, button) {
  const shownCommand = at('#command');
  shownCommand.hidden = false;
  text(shownCommand, command);
  try {
    await navigator.clipboard.writeText(command);
    text(button, 'copied');
  } catch {
    getSelection().selectAllChildren(shownCommand);
    text(button, 'select and copy');
  }
  setTimeout(() => text(button, button.dataset.label), 2000);
}

// --- mouse, touch, keyboard ----------------------------------------------------------------------------------------------------

const pointers = new Map();
let moved = 0;

function place(event) {
  const bounds = board.getBoundingClientRect();
  return [event.clientX - bounds.left, event.clientY - bounds.top];
}

board.addEventListener('pointerdown', (event) => {
  if (event.target.closest('button')) {
    return;
  }
  board.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, place(event));
  moved = 0;
});
board.addEventListener('pointermove', (event) => {
  const before = pointers.get(event.pointerId);
  const now = place(event);
  if (!before) {
    hover(now);
    return;
  }
  const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
  pointers.set(event.pointerId, now);
  moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
  if (other) {
    const spread = (one) => Math.max(1, Math.hypot(one[0] - other[0], one[1] - other[1]));
    zoomAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, Math.log2(spread(now) / spread(before)));
  } else if (moved > MOVED_PIXELS && state.x !== null) {
    moveTo(state.x - (now[0] - before[0]) / scale(), state.y - (now[1] - before[1]) / scale(), state.zoom);
  }
});
for (const type of ['pointerup', 'pointercancel']) {
  board.addEventListener(type, (event) => {
    const tapped = pointers.delete(event.pointerId) && pointers.size === 0 && moved <= MOVED_PIXELS && type === 'pointerup';
    const found = tapped && state.x !== null ? pick(...pointAt(...place(event))) : null;
    if (found) {
      select(found.cell);
    }
  });
}
board.addEventListener('pointerleave', () => hover(null));
board.addEventListener('wheel', (event) => {
  event.preventDefault();
  zoomAt(...place(event), -Math.sign(event.deltaY) * Math.min(0.5, Math.abs(event.deltaY) / 200));
}, {passive: false});

function hover(pixel) {
  const found = pixel && state.x !== null && view ? pick(...pointAt(...pixel)) : null;
  if (found?.cell !== hovered?.cell) {
    hovered = found;
    redraw();
  }
  const value = found ? found.tile.value(found.slot) : NaN;
  text(at('#readout'), found ? `${found.cell}: ${Number.isNaN(value) ? '0' : number(value)}` : '');
}

const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

board.addEventListener('keydown', (event) => {
  if (event.target !== board || event.ctrlKey || event.metaKey || event.altKey || state.x === null || !view) {
    return;
  }
  const direction = ARROWS[event.key];
  const centre = [board.clientWidth / 2, board.clientHeight / 2];
  if (direction && event.shiftKey) {
    moveTo(state.x + (direction[0] * 80) / scale(), state.y + (direction[1] * 80) / scale(), state.zoom);
  } else if (direction) {
    step(direction);
  } else if (event.key === 'Enter') {
    select(pick(state.x, state.y)?.cell ?? state.cell);
  } else if (event.key === '+' || event.key === '=') {
    zoomAt(...centre, 0.5);
  } else if (event.key === '-') {
    zoomAt(...centre, -0.5);
  } else if (event.key === '0') {
    fit();
  } else if (event.key === 'Escape') {
    select(null);
  } else {
    return;
  }
  event.preventDefault();
});

/** Selects the neighbour in a direction of the screen, or the hexagon in the middle if none is selected. */
function step([dx, dy]) {
  const from = chosen();
  if (!from) {
    select(pick(state.x, state.y)?.cell ?? state.cell);
    return;
  }
  const [x, y] = from.tile.centre(from.slot);
  const along = ([nx, ny]) => {
    const [across, down] = [way(x, nx), ny - y];
    return (across * dx + down * dy) / Math.hypot(across, down);
  };
  const next = from.tile.around(from.slot).sort((one, other) => along(other) - along(one))[0];
  const found = pick(...next);
  if (found) {
    select(found.cell);
    follow(next);
  }
}

/** Moves the map if a point is near its border. */
function follow([x, y]) {
  const {left, right, top, bottom} = visible(-0.1);
  if (Math.abs(way(state.x, x)) > (right - left) / 2 || y < top || y > bottom) {
    moveTo(x, y, state.zoom);
  }
}

function fit() {
  if (places.tiles.length > 0) {
    fitTo(places.tiles.map(({lat, lng}) => [mercator.x(lng), mercator.y(lat)]), 9);
    fitted = false;
    answer.key = null;
    poll.soon();
  } else {
    fitToValues();
  }
}

// --- the page ------------------------------------------------------------------------------------------------------------------

at('#zoom-in').addEventListener('click', () => zoomAt(board.clientWidth / 2, board.clientHeight / 2, 1));
at('#zoom-out').addEventListener('click', () => zoomAt(board.clientWidth / 2, board.clientHeight / 2, -1));
at('#zoom-fit').addEventListener('click', fit);
at('#view').addEventListener('change', (event) => {
  chooseView(event.target.value);
  writeAddress();
});
at('#most').addEventListener('change', (event) => {
  const value = Number(event.target.value);
  state.most = value > 0 ? value : null;
  event.target.value = state.most ?? '';
  writeAddress();
  redraw();
});
at('#copy-curl').addEventListener('click', (event) => copy(curl(command()), event.target));
at('#copy-get').addEventListener('click', (event) => copy(get(command()), event.target));
dark.addEventListener('change', redraw);
at('#table').open = matchMedia('(min-width: 56rem)').matches;
new ResizeObserver(redraw).observe(board);

/** The pixels that a renderer makes of what is shown, row by row from the top, four bytes each: to compare renderers. */
export function pixelsOf(Renderer) {
  const {width, height} = cellsCanvas;
  const [canvas, copy] = [document.createElement('canvas'), document.createElement('canvas')];
  for (const each of [canvas, copy]) {
    each.width = width;
    each.height = height;
  }
  new Renderer(canvas).draw(frame(), answer.tiles, lookOf());
  const context = copy.getContext('2d');
  context.drawImage(canvas, 0, 0);
  return context.getImageData(0, 0, width, height).data;
}

/** The pixel of the canvas in the middle of a cell that is in view. */
export function pixelOf(cell) {
  const {tile: index, slot} = cells().place(cell);
  const tile = answer.tiles.find((each) => each.index === index);
  return frame().at(...tile.centre(slot));
}

/** Shows the page. */
export function show() {
  address();
  poll.start();
  redraw();
}

/** Follows a change of the address. */
export function address() {
  const before = state.view;
  readAddress();
  at('#most').value = state.most ?? '';
  if (view && state.view !== before && views.some((each) => each.name === state.view)) {
    chooseView(state.view);
  } else if (view) {
    showDetails();
    settle();
  }
}

/** Stops reading. */
export function hide() {
  poll.stop();
}
