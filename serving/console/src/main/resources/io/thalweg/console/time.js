// Time: the slider over the window ends that the view keeps, and playing them.

import {at, text, when} from './api.js';
import {frameOf} from './frames.js';
import {announce, iso, shown, state, writeAddress} from './state.js';

/** From one window end to the next while playing. */
const STEP_MS = 500;
/** Window ends that are read ahead while playing. */
const AHEAD = 4;
/** Where playing begins, in window ends before the newest, if the newest is shown. */
const PLAYED = 30;

const slider = at('#end');
/** The run of `play` that is under way, null if none is. */
let playing = null;

/** After the watermark was read: the span moves with it. A window end that has left the span is not shown any longer. */
export function follow() {
  const {every_ms: every, history_ms: history} = shown.places;
  const last = Math.floor(Date.parse(shown.view.watermark) / every) * every;
  shown.span = history > 0 ? {first: last - Math.floor(history / every) * every, last, every} : null;
  if (state.end !== null) {
    state.end = within(state.end);
  }
  show();
}

/** The nearest window end that can be shown; null for the newest. */
function within(end) {
  if (!shown.span || end >= shown.span.last) {
    return null;
  }
  const {first, every} = shown.span;
  return Math.max(first, Math.floor(end / every) * every);
}

/** Shows a window end; null = the newest, also of those to come. */
export function goTo(end) {
  if (!shown.span) {
    return; // another view was chosen, and its span is not known yet
  }
  state.end = end === null ? null : within(end);
  show();
  writeAddress();
  announce('end');
}

/** Moves by window ends. */
export function stepBy(ends) {
  if (shown.span) {
    stop();
    goTo((state.end ?? shown.span.last) + ends * shown.span.every);
  }
}

function show() {
  const {span} = shown;
  at('#time').hidden = span === null;
  if (span === null) {
    stop();
    return;
  }
  const end = state.end ?? span.last;
  slider.min = span.first / span.every;
  slider.max = span.last / span.every;
  slider.value = end / span.every;
  slider.setAttribute('aria-valuetext', words(end));
  text(at('#end-time'), words(end));
  at('#now').setAttribute('aria-pressed', String(state.end === null));
}

/** A window end with its date. */
export function words(end) {
  return when(iso(end));
}

/** Whether window ends are being played. */
export function isPlaying() {
  return playing !== null;
}

/** Plays, or pauses. */
export function toggle() {
  if (isPlaying()) {
    stop();
  } else if (shown.span) {
    play();
  }
}

/** Pauses. */
export function stop() {
  playing = null;
  showPlaying();
}

function showPlaying() {
  text(at('#play'), isPlaying() ? '❚❚' : '▶');
  at('#play').setAttribute('aria-label', isPlaying() ? 'Pause' : 'Play');
}

async function play() {
  const own = {};
  playing = own;
  showPlaying();
  const {first, last, every} = shown.span;
  let end = state.end === null ? Math.max(first, last - PLAYED * every) : state.end + every;
  while (playing === own && !document.hidden) {
    const shownFrom = performance.now();
    try {
      await frameOf(end);
    } catch {
      break; // the next look reports it
    }
    if (playing !== own) {
      return;
    }
    goTo(end);
    if (state.end === null) {
      break; // it is the newest
    }
    for (let ahead = 1; ahead <= AHEAD && end + ahead * every < shown.span.last; ahead++) {
      frameOf(end + ahead * every).catch(() => {});
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, STEP_MS - (performance.now() - shownFrom))));
    end += every;
  }
  if (playing === own) {
    stop();
  }
}

slider.addEventListener('input', () => {
  stop();
  goTo(slider.value * shown.places.every_ms);
});
at('#play').addEventListener('click', toggle);
at('#now').addEventListener('click', () => {
  stop();
  goTo(null);
});
