// Mouse, fingers and keyboard on the board.

import {at, text} from './api.js';
import {board, chosen, fitToPlaces, fitToValues, hover, moveTo, pick, pointAt, scale, visible, zoomAt, zoomBy} from './board.js';
import {select} from './panel.js';
import {announce, shown, state, valueWords} from './state.js';
import {way} from './tiles.js';
import {stepBy, toggle} from './time.js';

/** A pointer that moved less has tapped. */
const MOVED_PIXELS = 4;
const ARROW_PIXELS = 80;
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

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
    point(now);
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
board.addEventListener('pointerleave', () => point(null));
board.addEventListener('wheel', (event) => {
  event.preventDefault();
  zoomAt(...place(event), -Math.sign(event.deltaY) * Math.min(0.5, Math.abs(event.deltaY) / 200));
}, {passive: false});

/** Shows the value at a pixel of the board; null for none. */
function point(pixel) {
  const found = pixel && state.x !== null && shown.view ? pick(...pointAt(...pixel)) : null;
  hover(found);
  text(at('#readout'), found ? `${found.cell}: ${valueText(found.tile.value(found.slot))}` : '');
}

/** A hexagon without a row has the value 0; a ratio of two such has none. */
function valueText(value) {
  return Number.isNaN(value) && state.per === null ? '0' : valueWords(value);
}

board.addEventListener('keydown', (event) => {
  if (event.target !== board || event.ctrlKey || event.metaKey || event.altKey || state.x === null || !shown.view) {
    return;
  }
  const direction = ARROWS[event.key];
  if (direction && event.shiftKey) {
    moveTo(state.x + (direction[0] * ARROW_PIXELS) / scale(), state.y + (direction[1] * ARROW_PIXELS) / scale(), state.zoom);
  } else if (direction) {
    step(direction);
  } else if (event.key === 'Enter') {
    select(pick(state.x, state.y)?.cell ?? state.cell);
  } else if (event.key === '+' || event.key === '=') {
    zoomBy(0.5);
  } else if (event.key === '-') {
    zoomBy(-0.5);
  } else if (event.key === '0') {
    fit();
  } else if (event.key === '[' || event.key === ']') {
    stepBy(event.key === '[' ? -1 : 1);
  } else if (event.key === ' ') {
    toggle();
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
  if (shown.places.tiles.length > 0) {
    fitToPlaces();
    shown.answer.key = null;
    announce('values');
  } else {
    fitToValues();
  }
}

at('#zoom-in').addEventListener('click', () => zoomBy(1));
at('#zoom-out').addEventListener('click', () => zoomBy(-1));
at('#zoom-fit').addEventListener('click', fit);
