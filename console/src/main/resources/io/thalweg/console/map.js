// The map: a feature of a view by hexagon, and all features of a chosen hexagon. The address holds what is shown. Its modules:
// state.js (the address), board.js (the part of the earth that is drawn), selectors.js and panel.js (around it), reading.js (the
// requests), gestures.js (mouse, fingers, keyboard).

import {at, text} from './api.js';
import {pick, presentInView, redraw, scaleTo, showScaleBar} from './board.js';
import './gestures.js';
import {number} from './chart.js';
import {showDetails, showHighest, time} from './panel.js';
import {poll} from './reading.js';
import {chooseView} from './selectors.js';
import {after, readAddress, shown, state, writeAddress} from './state.js';
import {mercator} from './tiles.js';

export {pixelOf, pixelsOf} from './board.js';

const SETTLE_MS = 150;
const STATUS_MS = 5000;

let settling = null;
let statusAt = 0;

/** After a move or an answer: the colour scale, the table and the address follow. */
function settle() {
  if (!shown.view || state.x === null) {
    return;
  }
  const inView = [...presentInView()];
  scaleTo(inView);
  showHighest(inView);
  showScaleBar();
  showStatus(inView.length);
  writeAddress();
  poll.soon();
}

function showStatus(count) {
  const now = performance.now();
  if (now - statusAt < STATUS_MS && at('#status').textContent !== '') {
    return;
  }
  statusAt = now;
  const {head} = shown.answer;
  text(at('#status'),
    head === null ? '' : `${number(count)} hexagons with a value in view; window end ${time(head.window_end)}`);
}

after('read', settle);
after('moved', () => {
  clearTimeout(settling);
  settling = setTimeout(settle, SETTLE_MS);
});

/** The text of the cell at a place, in degrees; null where no tile with rows is. */
export function pickAt(lat, lng) {
  return pick(mercator.x(lng), mercator.y(lat))?.cell ?? null;
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
  if (shown.view && state.view !== before && shown.views.some((each) => each.name === state.view)) {
    chooseView(state.view);
  } else if (shown.view) {
    showDetails();
    settle();
  }
}

/** Stops reading. */
export function hide() {
  poll.stop();
}
