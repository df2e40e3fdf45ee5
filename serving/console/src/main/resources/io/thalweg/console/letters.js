// The page of dead letters. It shows the newest letters of a view, the bytes of each event, and what the view makes of it now. The address
// holds the view and the reason. The answers: docs/reference/console.md.

import {Poll, ask, at, text} from './api.js';
import {Keyed, Measured, count, inWords, make, moment} from './parts.js';

/** Each look reads the end of a topic. */
const LOOK_MS = 5000;
const HEX_BYTES = 16;
/** What moves the cursor, turns the direction or cannot be seen; not the end of a line and the tab. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

const page = at('#letters');
const choice = make('select');
const reasons = make('select');
const form = make('form', {class: 'controls', 'aria-label': 'Which dead letters'}, make('label', {}, 'View ', choice),
  make('label', {}, 'Reason ', reasons));
const problem = make('p', {class: 'verdict bad', role: 'alert', hidden: ''});
const summary = make('p', {class: 'soft', role: 'status'});
const empty = make('p', {class: 'card', hidden: ''});
const list = make('div');
const letters = new Keyed(list, (letter) => new LetterView(letter));
let views = [];
let asked = {view: '', reason: ''};
page.append(make('h1', {tabindex: '-1'}, 'Dead letters'), form, problem, summary, empty, list);

/** The bytes of what the letter holds of its event. */
function bytesOf({raw, raw_encoding: encoding}) {
  if (encoding !== 'base64') {
    return new TextEncoder().encode(raw);
  }
  // A cut text may end inside a group of four.
  const whole = raw.slice(0, raw.length - (raw.length % 4));
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
}

/** Offset, bytes and, where they are letters of ASCII, text. */
function hex(bytes) {
  const lines = [];
  for (let from = 0; from < bytes.length; from += HEX_BYTES) {
    const some = [...bytes.subarray(from, from + HEX_BYTES)];
    const shown = some.map((byte) => (byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${from.toString(16).padStart(6, '0')}  ${some.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
      .padEnd(3 * HEX_BYTES)} ${shown}`);
  }
  return lines.join('\n');
}

/** Text with names for what cannot be seen. */
function visible(raw) {
  return raw.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

/** A letter: a line, and what it holds below it once it is opened. */
class LetterView {
  #letter;
  #path;

  constructor(letter) {
    this.#letter = letter;
    this.#path = `/v1/console/views/${encodeURIComponent(asked.view)}/letters/${letter.partition}/${letter.offset}/verdict`;
    this.reason = make('strong');
    this.at = make('small', {class: 'soft'});
    this.detail = make('span');
    this.place = make('p', {class: 'soft'});
    this.raw = make('pre', {tabindex: '0', role: 'region', 'aria-label': 'Event'});
    this.form = make('button', {type: 'button'});
    this.again = make('button', {type: 'button'}, 'Validate again');
    this.verdict = make('p', {class: 'verdict', role: 'status', hidden: ''});
    this.node = make('details', {class: 'card letter'}, make('summary', {}, this.reason, ' ', this.detail, ' ', this.at),
      this.place, this.raw, make('p', {class: 'buttons'}, this.form, this.again), this.verdict);
    this.asHex = letter.raw_encoding === 'base64';
    this.form.addEventListener('click', () => {
      this.asHex = !this.asHex;
      this.draw();
    });
    this.again.addEventListener('click', () => this.judge());
    this.node.addEventListener('toggle', () => this.draw());
  }

  show(letter) {
    text(this.reason, inWords(letter.reason));
    text(this.detail, visible(String(letter.detail ?? '')));
    text(this.at, moment(letter.at));
  }

  draw() {
    if (!this.node.open) {
      return;
    }
    const letter = this.#letter;
    text(this.place, `${letter.source}, partition ${letter.source_partition}, offset ${letter.source_offset}; `
      + `event time ${letter.time === null ? 'unknown' : moment(letter.time)}; ${count(letter.raw_bytes)} bytes`
      + `${letter.cut || letter.truncated ? ', of which the first are shown' : ''}`);
    text(this.raw, this.asHex ? hex(bytesOf(letter)) : visible(letter.raw));
    text(this.form, this.asHex ? 'As text' : 'As hex');
    this.form.hidden = letter.raw_encoding === 'base64';
  }

  async judge() {
    this.again.disabled = true;
    this.verdict.hidden = false;
    try {
      const {outcome, reason, detail} = await ask(this.#path);
      this.verdict.className = `verdict ${outcome === 'bad' ? 'bad' : outcome === 'accepted' ? 'good' : ''}`;
      text(this.verdict, [`By itself, the view would find it ${outcome} now`, reason && inWords(reason), detail && visible(detail)]
        .filter(Boolean).join(': '));
    } catch (e) {
      this.verdict.className = 'verdict bad';
      text(this.verdict, e.message);
    }
    this.again.disabled = false;
  }
}

function readAddress() {
  const parameters = new URLSearchParams(location.hash.split('?')[1] ?? '');
  asked = {view: parameters.get('view') ?? asked.view, reason: parameters.get('reason') ?? ''};
}

function changed() {
  asked = {view: choice.value, reason: choice.value === asked.view ? reasons.value : ''};
  history.replaceState(null, '', `#/letters?${new URLSearchParams(asked.reason ? asked : {view: asked.view})}`);
  letters.show([], () => '');
  poll.soon();
}

/** Sets the options of a choice only if they differ, so that an open list stays. */
function options(select, all, chosen) {
  if (JSON.stringify([...select.options].map((option) => option.value)) !== JSON.stringify(all.map(([value]) => value))) {
    select.replaceChildren(...all.map(([value, label]) => new Option(label, value)));
  }
  [...select.options].forEach((option, n) => text(option, all[n][1]));
  select.value = chosen;
}

async function look() {
  views = (await ask('/v1/console/views')).views.filter((view) => view.dead_letter_topic);
  const view = views.find((each) => each.name === asked.view) ?? views[0];
  form.hidden = view === undefined;
  empty.hidden = view !== undefined;
  text(empty, 'No view of this server reads a topic. Bad and late events of a view that does appear here with their reasons.');
  if (view === undefined) {
    return;
  }
  asked = {...asked, view: view.name};
  const counted = new Measured(view.series).all('thalweg_bad_events_total').filter((one) => one.value > 0);
  const query = new URLSearchParams(asked.reason ? {reason: asked.reason} : {});
  const before = asked;
  let answer;
  try {
    answer = await ask(`/v1/console/views/${encodeURIComponent(view.name)}/letters?${query}`);
    problem.hidden = true;
  } catch (e) {
    if (e.status !== 404) {
      throw e;
    }
    problem.hidden = false;
    text(problem, e.message);
    return;
  }
  if (before !== asked) {
    return;
  }
  present(view, counted, answer);
}

function present(view, counted, answer) {
  const known = new Map(counted.map((one) => [one.labels.reason, one.value]));
  const names = new Set([...known.keys(), ...answer.letters.map((letter) => letter.reason), asked.reason].filter(Boolean));
  options(choice, views.map(({name}) => [name, name]), asked.view);
  options(reasons, [['', 'any'], ...[...names].sort().map((name) =>
    [name, known.has(name) ? `${inWords(name)} (${count(known.get(name))})` : inWords(name)])], asked.reason);
  const all = [...known.values()].reduce((sum, each) => sum + each, 0);
  text(summary, answer.letters.length === 0 ? '' : `The newest ${count(answer.letters.length)} of the topic ${answer.topic}`
    + `${all > 0 ? `; ${count(all)} since the job started` : ''}.`);
  empty.hidden = answer.letters.length > 0;
  text(empty, `The end of the topic ${answer.topic} has no dead letter of ${view.name}${asked.reason ? ' for this reason' : ''}. `
    + 'Bad and late events appear here with their reasons.');
  letters.show(answer.letters, (letter) => `${letter.partition} ${letter.offset}`);
}

form.addEventListener('change', changed);
form.addEventListener('submit', (event) => event.preventDefault());
const poll = new Poll(look, LOOK_MS);

/** Shows the page. */
export function show() {
  readAddress();
  poll.start();
}

/** Stops reading. */
export function hide() {
  poll.stop();
}

/** The address has changed while the page is shown. */
export function address() {
  readAddress();
  letters.show([], () => '');
  poll.soon();
}
