// The map: a feature of a view by hexagon, and all features of a chosen hexagon. The address holds what is shown. Its modules:
// state.js (the address), board.js (the part of the earth that is drawn), selectors.js, panel.js and time.js (around it), reading.js
// and frames.js (the requests), gestures.js (mouse, fingers, keyboard).

import {at, text, when} from './api.js';
import {cells, pick, presentInView, redraw, scaleTo, showScaleBar} from './board.js';
import './gestures.js';
import {number} from './chart.js';
import {select, showDetails, showHighest} from './panel.js';
import {poll} from './reading.js';
import {chooseView, divideBy} from './selectors.js';
import {after, readAddress, shown, state, writeAddress} from './state.js';
import {mercator} from './tiles.js';
import {isPlaying, stop} from './time.js';

export {pixelOf, pixelsOf} from './board.js';

const SETTLE_MS = 150;
const STATUS_MS = 5000;

let settling = null;
let status = '';
let busiestChosen = false;
let saying = null;

/** After a move or an answer: the colour scale, the table and the address follow. */
function settle() {
  if (!shown.view || state.x === null) {
    return;
  }
  const inView = [...presentInView()];
  scaleTo(inView, isPlaying());
  showHighest(inView);
  showScaleBar();
  showStatus(inView.length);
  chooseBusiest(inView);
  writeAddress();
}

/** Chooses the hexagon with the highest value once, so that the panel is not empty. */
function chooseBusiest(inView) {
  if (busiestChosen || inView.length === 0) {
    return;
  }
  busiestChosen = true;
  if (!state.cell) {
    const {tile, slot} = inView.reduce((best, each) => (each.value > best.value ? each : best));
    select(cells().text(tile.index, slot));
  }
}

/** Says how much is shown: at once if nothing was said, else with the next of these times, so that a screen reader can finish. */
function showStatus(count) {
  const {head} = shown.answer;
  const end = shown.span === null ? ` at ${when(head?.window_end)}` : ''; // else the time is beside the slider
  status = head === null ? '' : `${number(count)} ${count === 1 ? 'hexagon' : 'hexagons'} with a value in view${end}`;
  if (at('#status').textContent === '') {
    text(at('#status'), status);
  }
  saying ??= setTimeout(() => {
    saying = null;
    text(at('#status'), status);
  }, STATUS_MS);
}

after('read', settle);
after('moved', () => {
  clearTimeout(settling);
  settling = setTimeout(() => {
    settle();
    poll.soon();
  }, SETTLE_MS);
});

/** The text of the cell at a place, in degrees; null where no tile with rows is. */
export function pickAt(lat, lng) {
  return pick(mercator.x(lng), mercator.y(lat))?.cell ?? null;
}

/** The window end whose colours are shown, as the server names it; null if there is none. */
export function endOf() {
  return shown.answer.head?.window_end ?? null;
}

/** Shows the page. */
export function show() {
  address();
  poll.start();
  redraw();
}

/** Follows a change of the address. */
export function address() {
  const before = {...state};
  readAddress();
  at('#most').value = state.most ?? '';
  at('#opacity').value = state.opacity;
  if (shown.view && !shown.views.some((each) => each.name === state.view)) {
    state.view = before.view;
  }
  if (shown.view && state.view !== before.view) {
    chooseView(state.view);
  } else if (shown.view && state.per !== before.per) {
    divideBy(state.per);
  } else if (shown.view) {
    showDetails();
    settle();
    poll.soon();
  }
}

/** Stops reading and playing. */
export function hide() {
  stop();
  poll.stop();
}
