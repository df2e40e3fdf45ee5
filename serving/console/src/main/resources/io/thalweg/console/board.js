// The board: which part of the earth it shows, what is at a pixel, and what is drawn there.

import {at, text} from './api.js';
import {drawBasemap} from './basemap.js';
import {number} from './chart.js';
import {Frame, GlRenderer, Look, PixelRenderer, drawPolygons} from './draw.js';
import {Labels, drawBorder, drawGraticule} from './marks.js';
import {STEPS, UNBOUNDED, partOf, ramp} from './ramp.js';
import {ZOOM_MAX, ZOOM_MIN, announce, cellEntity, shown, state} from './state.js';
import {Cells, mercator, way} from './tiles.js';
import {drawCities, drawWorld} from './world.js';

const WORLD_PIXELS = 256;
const PERCENTILE = 0.98;
const EARTH_METRES = 40_075_017;
const LEGEND_SHARES = [0, 0.1, 0.4, 1];

export const board = at('#board');
const baseCanvas = at('#base');
const cellsCanvas = at('#cells');
const linesCanvas = at('#lines');
const dark = matchMedia('(prefers-color-scheme: dark)');
const renderer = newRenderer();
let scheduled = false;
let mostInView = 1;
/** The greatest value in view, where the legend ends. */
let greatestInView = 1;
let hovered = null;

function newRenderer() {
  try {
    return new GlRenderer(cellsCanvas);
  } catch {
    return new PixelRenderer(cellsCanvas);
  }
}

// --- where what is -------------------------------------------------------------------------------------------------------------

/** The indexes of the view's cells. */
export function cells() {
  return new Cells(cellEntity().resolution);
}

/** Pixels of the page in the world's width. */
export function scale() {
  return WORLD_PIXELS * 2 ** state.zoom;
}

function frame() {
  const ratio = Math.min(2, devicePixelRatio);
  const width = Math.round(board.clientWidth * ratio);
  const height = Math.round(board.clientHeight * ratio);
  for (const canvas of [baseCanvas, cellsCanvas, linesCanvas]) {
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
  }
  return new Frame(state.x, state.y, scale() * ratio, width, height, ratio);
}

/** The visible part of the map, grown by a share of itself. */
export function visible(margin) {
  const halfX = (board.clientWidth / scale() / 2) * (1 + 2 * margin);
  const halfY = (board.clientHeight / scale() / 2) * (1 + 2 * margin);
  return {left: state.x - halfX, right: state.x + halfX, top: state.y - halfY, bottom: state.y + halfY};
}

/** The point of the map at a pixel of the board. */
export function pointAt(px, py) {
  return [state.x + (px - board.clientWidth / 2) / scale(), state.y + (py - board.clientHeight / 2) / scale()];
}

/** The cell at a point of the map: its tile, slot and text; null where no tile with rows is. */
export function pick(x, y) {
  for (const tile of shown.answer.tiles) {
    const slot = tile.slotAt(x, y);
    if (slot >= 0) {
      return {tile, slot, cell: cells().text(tile.index, slot)};
    }
  }
  return null;
}

/** The chosen hexagon; null if there is none, or if it is in no tile that was read. */
export function chosen() {
  if (!state.cell || !shown.view) {
    return null;
  }
  const {tile: index, slot} = cells().place(state.cell);
  const tile = shown.answer.tiles.find((each) => each.index === index);
  return tile ? {tile, slot, cell: state.cell} : null;
}

// --- moving --------------------------------------------------------------------------------------------------------------------

export function moveTo(x, y, zoom) {
  state.x = x - Math.floor(x);
  state.y = Math.min(1, Math.max(0, y));
  state.zoom = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, zoom));
  redraw();
  announce('moved');
}

/** Zooms and keeps the point under a pixel of the board where it is. */
export function zoomAt(px, py, by) {
  const [x, y] = pointAt(px, py);
  const zoom = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, state.zoom + by));
  const after = WORLD_PIXELS * 2 ** zoom;
  moveTo(x - (px - board.clientWidth / 2) / after, y - (py - board.clientHeight / 2) / after, zoom);
}

/** Zooms around the middle. */
export function zoomBy(by) {
  zoomAt(board.clientWidth / 2, board.clientHeight / 2, by);
}

/** Shows the places that have rows; the map moves to the values when they are read. */
export function fitToPlaces() {
  fitTo(shown.places.tiles.map(({lat, lng}) => [mercator.x(lng), mercator.y(lat)]), 9);
  shown.fitted = false;
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
export function fitToValues() {
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
  for (const tile of shown.answer.tiles) {
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

/** The cells in view with a value above zero. */
export function* presentInView() {
  const {left, right, top, bottom} = visible(0);
  const half = (right - left) / 2;
  for (const each of present()) {
    if (Math.abs(way(state.x, each.x)) <= half && each.y >= top && each.y <= bottom && each.value > 0) {
      yield each;
    }
  }
}

// --- drawing -------------------------------------------------------------------------------------------------------------------

/** Draws before the browser paints next. */
export function redraw() {
  if (!scheduled) {
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      draw();
    });
  }
}

/** Fits the scale of colours to the cells in view; while window ends are played, it only grows. */
export function scaleTo(inView, played) {
  const values = Float64Array.from(inView, (each) => each.value).filter(Number.isFinite).sort();
  const greatest = values.at(-1) ?? 1;
  const most = values.length === 0 ? 1 : Math.min(greatest, nice(values[Math.floor(PERCENTILE * (values.length - 1))]));
  mostInView = played ? Math.max(mostInView, most) : most;
  greatestInView = played ? Math.max(greatestInView, greatest) : greatest;
  redraw();
}

/** The next number of the form 1, 1.5, 2, 3, 5 or 7 times a power of ten, so that the scale stays while values move a little. */
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 1.5, 2, 3, 5, 7, 10].find((each) => each * power >= value * 0.999999);
}

function most() {
  return state.most ?? mostInView;
}

/** Marks the cell under the mouse; null for none. */
export function hover(found) {
  if (found?.cell !== hovered?.cell) {
    hovered = found;
    redraw();
  }
}

function lookOf() {
  return new Look(most(), ramp(dark.matches), ink());
}

function ink() {
  return dark.matches ? [230, 233, 238] : [27, 36, 48];
}

/** The colours of the world and of the labels over it. */
function paints() {
  return dark.matches
    ? {water: '#161d27', land: '#222932', coast: '#4a5767', border: '#566273', text: '#d7dde5', paper: '#12161c'}
    : {water: '#dde8f0', land: '#fbfaf7', coast: '#a3b4c2', border: '#b5b0a6', text: '#3a4552', paper: '#fff'};
}

function draw() {
  board.classList.toggle('blank', state.x === null);
  if (state.x === null || board.clientWidth === 0) {
    return;
  }
  const {tiles} = shown.answer;
  const current = frame();
  const looks = lookOf();
  const base = baseCanvas.getContext('2d');
  base.clearRect(0, 0, current.width, current.height);
  const colours = paints();
  drawWorld(base, current, colours);
  drawBasemap(base, current, ink());
  renderer.draw(current, tiles, looks);
  cellsCanvas.style.opacity = state.opacity;
  const lines = linesCanvas.getContext('2d');
  lines.clearRect(0, 0, current.width, current.height);
  lines.globalAlpha = state.opacity;
  drawPolygons(lines, current, tiles, looks);
  lines.globalAlpha = 1;
  const labels = new Labels(lines, current.ratio, colours);
  drawGraticule(lines, current, ink(), labels);
  drawCities(lines, current, colours.text, (...label) => labels.draw(...label));
  for (const [mark, width] of [[hovered, 1.5], [chosen(), 3]]) {
    if (mark && tiles.includes(mark.tile)) {
      drawBorder(lines, current, mark.tile.corners(mark.slot), width, dark.matches);
    }
  }
  showLegend();
}

function showLegend() {
  const colours = ramp(dark.matches);
  const bar = at('#ramp');
  const key = `${dark.matches} ${most()} ${greatestInView} ${state.per} ${state.opacity}`;
  if (bar.dataset.key === key) {
    return;
  }
  bar.dataset.key = key;
  bar.style.opacity = state.opacity;
  bar.width = STEPS;
  bar.height = 1;
  const context = bar.getContext('2d');
  colours.slice(0, STEPS).forEach(([red, green, blue], step) => {
    context.fillStyle = `rgb(${red}, ${green}, ${blue})`;
    context.fillRect(step, 0, 1, 1);
  });
  at('#unbounded').hidden = state.per === null;
  text(at('#unbounded-words'), `${state.per} is 0`);
  at('#unbounded-colour').style.background = `rgb(${colours[UNBOUNDED].join(', ')})`;
  // A range at the end needs the room of the tick before it.
  const shares = LEGEND_SHARES.filter((share) => share !== 0.4 || greatestInView <= most());
  at('#ticks').replaceChildren(...shares.map((share) => {
    const tick = document.createElement('span');
    tick.textContent = share === 1 ? lastTick() : number(share * most());
    tick.style.left = `${100 * partOf(share)}%`;
    return tick;
  }));
}

/** The values of the last colour: one, or all from the one where the colours end to the greatest in view. */
function lastTick() {
  return greatestInView > most() ? `${number(most())} – ${number(greatestInView)}` : number(most());
}

/** Draws the scale of distances for the middle of the map. */
export function showScaleBar() {
  const metres = (EARTH_METRES * Math.cos((mercator.lat(state.y) * Math.PI) / 180)) / scale();
  const power = 10 ** Math.floor(Math.log10(100 * metres));
  const length = power * [5, 2, 1].find((each) => each * power <= 100 * metres);
  at('#scale-bar').style.width = `${length / metres}px`;
  text(at('#scale-bar'), length >= 1000 ? `${length / 1000} km` : `${number(length)} m`);
}

/** The pixels that a renderer makes of what is shown, row by row from the top, four bytes each: to compare renderers. */
export function pixelsOf(Renderer) {
  const {width, height} = cellsCanvas;
  const [canvas, copy] = [document.createElement('canvas'), document.createElement('canvas')];
  for (const each of [canvas, copy]) {
    each.width = width;
    each.height = height;
  }
  new Renderer(canvas).draw(frame(), shown.answer.tiles, lookOf());
  const context = copy.getContext('2d');
  context.drawImage(canvas, 0, 0);
  return context.getImageData(0, 0, width, height).data;
}

/** The pixel of the canvas in the middle of a cell that is in view. */
export function pixelOf(cell) {
  const {tile: index, slot} = cells().place(cell);
  const tile = shown.answer.tiles.find((each) => each.index === index);
  return frame().at(...tile.centre(slot));
}

dark.addEventListener('change', redraw);
new ResizeObserver(redraw).observe(board);
