// The past of the chosen hexagon: the chosen feature over the latest window ends that the view keeps.

import {at, post, text} from './api.js';
import {number, svgElement} from './chart.js';
import {iso, key, ratio, readViews, shown, state, valueWords} from './state.js';
import {goTo, words} from './time.js';

/** At most so many window ends: the limit of the server. */
const LAST = 400;
const WIDTH = 400;
const HEIGHT = 132;
const PLOT = {left: 40, right: 392, top: 8, bottom: 108};
/** Steps between the labels of the time axis, in minutes. */
const STEPS_MIN = [1, 2, 5, 10, 15, 30, 60, 120, 240, 360, 720, 1440, 2880, 10080];
const LABELS = 5;

const svg = at('#past svg');
/** What was read: `of` names the hexagon and feature; by window end in ms, ascending. */
let past = {of: null, values: new Map()};
let drawnEnd = null;

/** Forgets what was read if something else is chosen, and reads the window ends that are missing. */
export async function loadPast() {
  const wanted = shown.span && state.cell ? JSON.stringify([shown.places.run, readViews(), key(), state.feature]) : null;
  if (past.of !== wanted) {
    past = {of: wanted, values: new Map()};
  }
  if (wanted === null) {
    draw();
    return;
  }
  moveCursor();
  const {last, every} = shown.span;
  const newest = [...past.values.keys()].at(-1);
  const missing = newest === undefined ? LAST : Math.min(LAST, (last - newest) / every);
  if (missing <= 0) {
    return;
  }
  const body = {entities: [key()], features: [state.feature], as_of: iso(last), last: missing};
  const [values, by] = await Promise.all(readViews().map((view) => history(view, body)));
  if (past.of === wanted) {
    values.forEach((value, end) => past.values.set(end, by ? ratio(value, by.get(end)) : value));
    forgetBefore(last - (LAST - 1) * every);
    draw();
  }
}

/** The value that is drawn of a window end, in ms. */
export function valueAt(end) {
  return past.values.get(end);
}

/** By window end in ms, ascending. */
async function history(view, body) {
  const {rows} = await post(`/v1/views/${encodeURIComponent(view)}:history`, body);
  return new Map(rows.map((row) => [Date.parse(row.window_end), row.values[0]]));
}

function forgetBefore(end) {
  for (const each of past.values.keys()) {
    if (each < Math.max(end, shown.span.first)) {
      past.values.delete(each);
    }
  }
}

function moveCursor() {
  if (drawnEnd !== state.end && past.values.size > 0) {
    draw();
  }
}

function draw() {
  drawnEnd = state.end;
  at('#past').hidden = past.values.size === 0;
  if (past.values.size === 0) {
    return;
  }
  text(at('#past-name'), `${readViews().join(' ÷ ')} ${state.feature}`);
  const ends = drawnEnds();
  const [first, last] = [ends[0], Math.max(ends.at(-1), ends[0] + shown.span.every)];
  const most = Math.max(...[...past.values.values()].filter(Number.isFinite), 0) || 1;
  const x = (end) => PLOT.left + ((end - first) / (last - first)) * (PLOT.right - PLOT.left);
  const y = (value) => PLOT.bottom - (value / most) * (PLOT.bottom - PLOT.top);
  svg.replaceChildren(...axes(first, last, most, x, y), line(ends, x, y), ...cursor(first, x, y));
  const now = past.values.get(state.end ?? ends.at(-1));
  svg.setAttribute('aria-label', `${state.feature} of the hexagon from ${words(first)} to ${words(ends.at(-1))}:`
    + ` ${valueWords(now)} at the window end that is shown, at most ${number(most)}`);
}

/** The window ends from the last before the first value: a job that has just begun has a long past of zeros. */
function drawnEnds() {
  const ends = [...past.values.keys()];
  const begin = ends.findIndex((end) => past.values.get(end) > 0);
  return ends.slice(Math.max(0, begin - 1));
}

function axes(first, last, most, x, y) {
  const values = [0, most / 2, most].flatMap((value) => [
    svgElement('line', {x1: PLOT.left, x2: PLOT.right, y1: y(value), y2: y(value), class: 'axis'}),
    label(number(value), {x: PLOT.left - 5, y: y(value) + 4, 'text-anchor': 'end'}),
  ]);
  const minutes = (last - first) / 60_000;
  const step = (STEPS_MIN.find((each) => minutes / each <= LABELS) ?? STEPS_MIN.at(-1)) * 60_000;
  const times = [];
  for (let time = Math.ceil(first / step) * step; time <= last; time += step) {
    times.push(svgElement('line', {x1: x(time), x2: x(time), y1: PLOT.bottom, y2: PLOT.bottom + 4, class: 'axis'}));
    times.push(label(iso(time).slice(11, 16), {x: Math.min(x(time), PLOT.right - 10), y: PLOT.bottom + 17, 'text-anchor': 'middle'}));
  }
  return [...values, ...times];
}

function label(words, attributes) {
  const made = svgElement('text', attributes);
  made.textContent = words;
  return made;
}

/** The line has a gap where there is no value. */
function line(ends, x, y) {
  let gap = true;
  const path = ends.map((end) => {
    const value = past.values.get(end);
    const command = gap ? 'M' : 'L';
    gap = !Number.isFinite(value);
    return gap ? '' : `${command}${x(end).toFixed(1)} ${y(value).toFixed(1)}`;
  });
  return svgElement('path', {d: path.join(''), class: 'served'});
}

/** The window end that is shown. */
function cursor(first, x, y) {
  const end = state.end ?? shown.span.last;
  if (end < first || !past.values.has(end)) {
    return [];
  }
  const value = past.values.get(end);
  const mark = svgElement('line', {x1: x(end), x2: x(end), y1: PLOT.top, y2: PLOT.bottom, class: 'cursor'});
  return Number.isFinite(value) ? [mark, svgElement('circle', {cx: x(end), cy: y(value), r: 4, class: 'here'})] : [mark];
}

/** The window end at a place of the chart. */
function endAt(event) {
  const {left, width} = svg.getBoundingClientRect();
  const ends = drawnEnds();
  const part = (((event.clientX - left) / width) * WIDTH - PLOT.left) / (PLOT.right - PLOT.left);
  return ends[Math.round(Math.min(1, Math.max(0, part)) * (ends.length - 1))];
}

svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
svg.addEventListener('click', (event) => goTo(endAt(event)));
svg.addEventListener('pointermove', (event) => {
  if (!shown.span) {
    return;
  }
  const end = endAt(event);
  text(at('#past-readout'), `${words(end)}: ${valueWords(past.values.get(end))}`);
});
svg.addEventListener('pointerleave', () => text(at('#past-readout'), ''));
