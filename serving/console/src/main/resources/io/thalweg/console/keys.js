// The page of keys: any key of any view, with what the store has of it and, where a job runs, what it has now. The address holds the key,
// so a link leads a colleague to it. The reads: docs/reference/http.md.

import {Poll, ask, at, named, post, text, token} from './api.js';
import {curl, get} from './commands.js';
import {Figures, Keyed, cell, make, moment, seconds, table} from './parts.js';

const LOOK_MS = 1000;
const EXAMPLES_MOST = 20;
const HEXAGONS_READ = 100;
/** Tiles in which examples of hexagons are looked for. */
const TILES_MOST = 4;

const page = at('#keys-page');
let views = null;
let server = null;
/** The view, and the values of its entities by name. */
let key = {view: '', entities: {}};
const choice = make('select');
const fields = make('span', {class: 'fields'});
const form = make('form', {class: 'controls', 'aria-label': 'Key'}, make('label', {}, 'View ', choice), fields,
  make('button', {type: 'submit'}, 'Read'));
const problem = make('p', {class: 'verdict bad', role: 'alert', hidden: ''});
const hint = make('p', {class: 'card'}, 'Enter the values of a key, or choose one below, to see what the store has of it. Where a job of this process computes the '
  + 'view, the values of its open window appear beside them.');
const figures = new Figures();
const values = table('Features of the key', 'plain', [['Feature'], ['Stored', 'n'], ['Live', 'n']]);
const rows = new Keyed(values.body, (feature) => row(feature));
const command = make('pre', {tabindex: '0', role: 'region', 'aria-label': 'Command', hidden: ''});
const copies = [['Copy as thalweg get', get], ['Copy as curl', curl]].map(([label, write]) => {
  const button = make('button', {type: 'button'}, label);
  button.addEventListener('click', () => copy(write, button, label));
  return button;
});
const prefix = make('input', {placeholder: 'begins with', 'aria-label': 'Examples begin with', maxlength: '200', autocomplete: 'off'});
const examples = make('ul', {class: 'examples'});
const examplesNote = make('p', {class: 'soft', role: 'status'});
const examplesBox = make('section', {class: 'card', 'aria-labelledby': 'examples-title'},
  make('h2', {id: 'examples-title'}, 'Keys that have a row'), make('p', {}, make('label', {}, 'Begins with ', prefix)), examples, examplesNote);
const result = make('div', {class: 'card', hidden: ''}, make('h2', {}, 'Key'), figures.node, values.node,
  make('p', {class: 'buttons'}, ...copies), command);
page.append(make('h1', {tabindex: '-1'}, 'Keys'), form, problem, hint, result, examplesBox);

function row(feature) {
  const node = make('tr');
  cell(node, '', '', 'th').append(feature.name);
  const stored = cell(node, '');
  const now = cell(node, '');
  return {node, show: (each) => {
    text(stored, written(each.stored));
    text(now, each.live === undefined ? '' : written(each.live));
  }};
}

function written(value) {
  return value === null || value === undefined ? '–'
    : typeof value === 'number' ? value.toLocaleString('en', {maximumFractionDigits: 6}) : String(value);
}

function view() {
  return views?.find((each) => each.name === key.view);
}

/** Whether every entity has a value. */
function isWhole() {
  return view() !== undefined && view().entities.every(({name}) => key.entities[name]);
}

function readAddress() {
  const parameters = new URLSearchParams(location.hash.split('?')[1] ?? '');
  const entities = [...parameters].filter(([name]) => name.startsWith('e.')).map(([name, value]) => [name.slice(2), value]);
  key = {view: parameters.get('view') ?? key.view, entities: Object.fromEntries(entities)};
}

function writeAddress() {
  const parameters = new URLSearchParams({view: key.view});
  Object.entries(key.entities).forEach(([name, value]) => parameters.set(`e.${name}`, value));
  history.replaceState(null, '', `#/keys?${parameters}`);
}

/** The fields of the view's entities, with what the address has. */
function drawForm() {
  choice.replaceChildren(...views.map(({name}) => new Option(name, name)));
  if (!view()) {
    key = {view: views[0]?.name ?? '', entities: {}};
  }
  choice.value = key.view;
  fields.replaceChildren(...(view()?.entities ?? []).map(({name, type}) => {
    const input = make('input', {name, autocomplete: 'off', spellcheck: 'false', placeholder: type, maxlength: '1000'});
    input.value = key.entities[name] ?? '';
    return make('label', {}, `${name} `, input);
  }));
}

function forget() {
  result.hidden = true;
  problem.hidden = true;
  command.hidden = true;
  hint.hidden = isWhole();
}

/** Reads examples of keys: of hexagons, those with the greatest values of the first feature. */
async function loadExamples() {
  const asked = exampleQuery();
  if (asked === examplesOf || view() === undefined) {
    return;
  }
  examplesOf = asked;
  const name = encodeURIComponent(key.view);
  let found = [];
  let refused = '';
  try {
    found = await examplesNamed(name);
  } catch (e) {
    refused = `Keys cannot be listed: ${e.message}`; // such as a user of Redis that may not SCAN; keys can still be read
  }
  if (asked !== exampleQuery()) {
    return; // another view or prefix was chosen meanwhile
  }
  examples.replaceChildren(...found.slice(0, EXAMPLES_MOST).map((entities) => {
    const address = new URLSearchParams({view: key.view});
    Object.entries(entities).forEach(([entity, value]) => address.set(`e.${entity}`, value));
    const words = Object.entries(entities).map(([entity, value]) => named(entity, value)).join(' · ');
    return make('li', {}, make('a', {href: `#/keys?${address}`}, words));
  }));
  text(examplesNote, refused || (found.length > 0 ? '' : prefix.value
    ? 'None of the keys that were looked at begins with this.' : 'There are none yet, or this store cannot list its keys.'));
}

async function examplesNamed(name) {
  return view().entities.some(({type}) => type === 'h3')
    ? hexagons(name)
    : (await ask(`/v1/console/views/${name}/keys?${new URLSearchParams({prefix: prefix.value})}`)).keys;
}

let examplesOf = null;

function exampleQuery() {
  return JSON.stringify([key.view, prefix.value]);
}

async function hexagons(name) {
  const {groups, tiles} = await ask(`/v1/console/views/${name}`);
  if (groups.length === 0) {
    return [];
  }
  const [feature] = view().features;
  const types = new Map(view().entities.map(({name: entity, type}) => [entity, type]));
  const where = Object.fromEntries(Object.entries(groups[0].entities).map(([entity, value]) =>
    [entity, types.get(entity) === 'bool' ? value === 'true' : value]));
  const scans = await Promise.all(tiles.slice(0, TILES_MOST).map(({tile}) => post(`/v1/views/${name}:scan`,
    {region: {parent: tile}, where, features: [feature.name], top: {n: HEXAGONS_READ, by: feature.name}})));
  return scans.flatMap(({rows}) => rows).sort((one, other) => other.values[0] - one.values[0]).map(({entities}) => entities)
    .filter((entities) => Object.entries(entities).some(([entity, value]) =>
      String(value).startsWith(prefix.value) || named(entity, value).startsWith(prefix.value)));
}

/** The key as JSON has it. */
function asRead() {
  return Object.fromEntries(view().entities.map(({name, type}) =>
    [name, type === 'bool' ? key.entities[name] === 'true' : key.entities[name]]));
}

async function look() {
  if (views === null) {
    views = (await ask('/v1/views')).views;
    server = await ask('/v1/console/views');
    drawForm();
    forget();
  }
  await loadExamples();
  if (!isWhole()) {
    return;
  }
  const asked = key;
  const path = `/v1/views/${encodeURIComponent(key.view)}:read`;
  try {
    const stored = await post(path, {entities: [asRead()]});
    const now = await liveOf(path);
    if (asked === key) {
      present(stored, now);
    }
  } catch (e) {
    if (e.status !== 400) {
      throw e;
    }
    result.hidden = true;
    problem.hidden = false;
    text(problem, e.message);
  }
}

/** What the job has in its open window; null where no job is known. */
async function liveOf(path) {
  if (!server.live || server.views.find((each) => each.name === key.view)?.kind === 'table') {
    return null;
  }
  try {
    return await post(path, {entities: [asRead()], read_from: 'LIVE'});
  } catch (e) {
    if (e.needsToken) {
      throw e;
    }
    return null; // the job starts or restarts
  }
}

function present(stored, now) {
  const [row] = stored.rows;
  const [open] = now?.rows ?? [];
  problem.hidden = true;
  hint.hidden = true;
  result.hidden = false;
  text(at('h2', result), Object.entries(key.entities).map(([entity, value]) => named(entity, value)).join(' · '));
  figures.show('Status', row.status);
  figures.show('Window end', moment(row.window_end), row.age_ms === null ? '' : `${seconds(row.age_ms / 1000)} old`);
  figures.show('Finality', row.finality);
  figures.show('Live status', open?.status ?? null);
  const lives = new Map((now?.features ?? []).map((name, n) => [name, open.values[n] ?? null]));
  values.node.classList.toggle('stored-only', lives.size === 0);
  rows.show(stored.features.map((name, n) => ({name, stored: row.values[n], live: lives.get(name)})), (each) => each.name);
}

async function copy(write, button, label) {
  const origin = `${location.protocol}//${location.hostname}:${server.port}`;
  const [feature] = view().features;
  command.hidden = false;
  text(command, write({server: origin, view: key.view, entities: asRead(), feature: feature.name, token: token() !== ''}));
  try {
    await navigator.clipboard.writeText(command.textContent);
    text(button, 'Copied');
  } catch {
    getSelection().selectAllChildren(command);
    text(button, 'Select and copy');
  }
  setTimeout(() => text(button, label), 2000);
}

choice.addEventListener('change', () => {
  key = {view: choice.value, entities: {}};
  writeAddress();
  drawForm();
  forget();
});
prefix.addEventListener('input', () => poll.soon());
form.addEventListener('submit', (event) => {
  event.preventDefault();
  key = {view: key.view, entities: Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]))};
  writeAddress();
  forget();
  poll.soon();
});

const poll = new Poll(look, LOOK_MS);

/** Shows the page. */
export function show() {
  address();
  poll.start();
}

/** Stops reading. */
export function hide() {
  poll.stop();
}

/** The address has changed: another key. */
export function address() {
  readAddress();
  if (views !== null) {
    drawForm();
    forget();
    poll.soon();
  }
}
