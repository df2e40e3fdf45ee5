// The panel beside the map: the features, the values of the chosen hexagon, the highest in view.

import {at, text, token, when} from './api.js';
import {cells, moveTo, redraw} from './board.js';
import {number} from './chart.js';
import {curl, get} from './commands.js';
import {announce, iso, key, parts, readViews, shown, state, valueWords, writeAddress} from './state.js';
import {mercator} from './tiles.js';

const HIGHEST = 20;
const COPIED_MS = 2000;

// --- features ------------------------------------------------------------------------------------------------------------------

/** Rings down, windows across: chooses the feature of the map, and shows the values of the chosen hexagon. */
export function drawGrid() {
  const features = shown.view.features.map((feature) => ({name: feature.name, ...parts(feature.name)}));
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
  announce('values');
}

/** The chosen feature is the grid's only tab stop; arrow keys reach the others. */
export function pressFeature() {
  for (const button of at('#features').querySelectorAll('button')) {
    const chosen = button.dataset.feature === state.feature;
    button.setAttribute('aria-pressed', String(chosen));
    button.tabIndex = chosen ? 0 : -1;
    button.setAttribute('aria-label', spoken(button.dataset.feature));
    text(button, valueText(button.dataset.feature));
  }
  text(at('#feature-name'), state.per === null ? state.feature : `${readViews().join(' ÷ ')} ${state.feature}`);
  text(at('#feature-words'), featureWords());
}

/** What the feature means, with its unit: distinct riders per hexagon and minute, mean over 91 hexagons and 8 minutes. */
function featureWords() {
  const {counts, every_ms: every} = shown.places;
  if (counts === undefined) {
    return '';
  }
  const {ring, window} = parts(state.feature);
  const hexagons = 1 + 3 * ring * (Number(ring) + 1);
  const means = [
    ...(hexagons > 1 ? [`${hexagons} hexagons`] : []), ...(milliseconds(window) > every ? [spanWords(milliseconds(window))] : []),
  ];
  const mean = means.length === 0 ? '' : `, mean over ${means.join(' and ')}`;
  const one = `${counts === null ? 'events' : `distinct ${plural(counts)}`} per hexagon and ${spanWords(every).replace(/^1 /, '')}${mean}`;
  return state.per === null ? one : `${one}, divided by those of ${state.per}`;
}

const UNITS = [['d', 86_400_000, 'day'], ['h', 3_600_000, 'hour'], ['m', 60_000, 'minute'], ['s', 1000, 'second'], ['ms', 1, 'millisecond']];

/** A duration as feature names have it, in ms. */
function milliseconds(duration) {
  return [...duration.matchAll(/(\d+)(ms|[dhms])/g)].reduce((sum, [, value, unit]) =>
    sum + value * UNITS.find(([name]) => name === unit)[1], 0);
}

function spanWords(ms) {
  const [, unit, name] = UNITS.find(([, each]) => ms % each === 0);
  return `${ms / unit} ${name}${ms === unit ? '' : 's'}`;
}

/** The things that a field identifies: riders for rider_id. */
function plural(field) {
  const thing = field.split('.').at(-1).replace(/_?(id|uuid|key)$/i, '').replaceAll('_', ' ');
  return thing === '' ? `values of ${field}` : thing.endsWith('s') ? thing : `${thing}s`;
}

function featureValue(name) {
  const index = shown.details?.features.indexOf(name) ?? -1;
  return index < 0 ? null : shown.details.row.values[index];
}

function valueText(name) {
  return shown.details ? valueWords(Number(featureValue(name) ?? NaN)) : '·';
}

function spoken(name) {
  const {ring, window} = parts(name);
  return `ring ${ring}, window ${window}${shown.details ? `: ${valueText(name)}` : ''}`;
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

// --- the chosen hexagon --------------------------------------------------------------------------------------------------------

/** Chooses a hexagon; null for none. */
export function select(cell) {
  state.cell = cell;
  shown.details = null;
  showDetails();
  writeAddress();
  redraw();
  announce('values');
}

/** Shows what was read of the chosen hexagon. */
export function showDetails() {
  const row = shown.details?.row;
  at('#details').classList.toggle('chosen', Boolean(state.cell));
  at('#commands').hidden = !state.cell;
  at('#facts').hidden = !state.cell;
  text(at('#chosen'), state.cell ? `Hexagon ${state.cell}` : 'Choose a hexagon on the map to read its values.');
  text(at('#fact-status'), row?.status ?? '…');
  // The time is beside the slider; a hexagon whose newest row is older shows its own.
  at('#fact-end').parentElement.hidden = shown.span !== null && row?.window_end === shown.answer.head?.window_end;
  text(at('#fact-end'), when(row?.window_end));
  text(at('#fact-age'), row?.age_ms === undefined || row.age_ms === null ? '–' : `${number(row.age_ms / 1000)} s`);
  text(at('#fact-finality'), row?.finality ?? '–');
  pressFeature();
}

function command() {
  const server = `${location.protocol}//${location.hostname}:${shown.places.port}`;
  const asOf = state.end === null ? null : iso(state.end);
  return {server, view: shown.view.name, entities: key(), feature: state.feature, asOf, token: token() !== ''};
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
  setTimeout(() => text(button, button.dataset.label), COPIED_MS);
}

at('#copy-curl').addEventListener('click', (event) => copy(curl(command()), event.target));
at('#copy-get').addEventListener('click', (event) => copy(get(command()), event.target));

// --- the highest in view -------------------------------------------------------------------------------------------------------

/** The text alternative of the map. Values that are infinite have no order. */
export function showHighest(inView) {
  const ordered = inView.filter((each) => Number.isFinite(each.value)).sort((one, other) => other.value - one.value);
  const highest = ordered.slice(0, HIGHEST);
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
  text(at('#highest-count'), [
    ...(highest.length === 0 ? ['No hexagon in view has a value.'] : []),
    ...(ordered.length < inView.length ? [`Of ${inView.length - ordered.length} hexagons ${state.per} is 0.`] : []),
  ].join(' '));
}

at('#table').open = matchMedia('(min-width: 56rem)').matches;
