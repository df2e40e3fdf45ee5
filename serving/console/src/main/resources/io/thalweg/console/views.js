// The pages of views: all of them, and one with what becomes of its events, how current it is, where it has rows, and its definition.
// Counts are the series of /metrics. The answers: docs/reference/console.md.

import {Poll, ask, at, clockName, named, text} from './api.js';
import {Sparkline, number} from './chart.js';
import {
  Bar, Figures, Histogram, Keyed, Measured, Meters, bound, cell, count, inWords, make, moment, percent, seconds, table, within,
} from './parts.js';

const LOOK_MS = 1000;
/** Where rows are changes seldom, and to look it up costs the store more than a count. */
const PLACES_MS = 5000;
const GROUPS_MOST = 20;
const OUTCOMES = ['accepted', 'skipped', 'bad', 'late', 'tombstone'];
const OUTCOMES_IN_WORDS = {
  accepted: 'counted', skipped: 'where does not match', bad: 'to the dead letters', late: 'to the dead letters',
  tombstone: 'a record without a value',
};

/** What the server remembers of the last ten minutes. */
const TRENDS = {events: 'Events', rows: 'Rows', lag: 'Waiting in Kafka', bad_and_late: 'Bad and late events', behind_seconds: 'Behind'};

const page = at('#views');

function linkTo(name) {
  return `#/views/${encodeURIComponent(name)}`;
}

/** The name of the view that the address has; null for the list. */
function chosen() {
  const name = location.hash.match(/^#\/views\/([^?]+)/)?.[1];
  try {
    return name ? decodeURIComponent(name) : null;
  } catch {
    return name;
  }
}

function kind(view) {
  return {rings: 'rings of hexagons', keys: 'keys', table: 'a table'}[view.kind];
}

function behind(view) {
  return seconds(view.watermark_age_ms === undefined ? null : view.watermark_age_ms / 1000);
}

/** Why reads get no current values, or that they do. */
function readiness(view) {
  return view.ready ? 'Current' : 'Not current';
}

/** What a view without rows waits for; empty if it has some. */
function waitsFor(view, counts) {
  if (view.watermark || view.kind === 'table' || counts.all('thalweg_events_total').length === 0) {
    return '';
  }
  const events = counts.sum('thalweg_events_total');
  if (events === 0) {
    return `The job waits for events in ${view.topics.join(', ')}.`;
  }
  if (counts.value('thalweg_watermark_timestamp_seconds') === null) {
    return `${count(events)} events are read; a partition without events can hold the watermark back.`;
  }
  return `${count(events)} events are read. The first rows leave when the largest window is full.`;
}

/** All views. */
class ListPage {
  constructor() {
    const {node, body} = table('Views', 'cards views', [
      ['View'], ['Entities'], ['Features', 'n'], ['Events/s', 'n'], ['Rows/s', 'n'], ['Waiting', 'n'], ['Bad and late', 'n'],
      ['Readable up to', 'n'], ['Behind', 'n'], ['State'],
    ]);
    this.rows = new Keyed(body, (view) => this.row(view));
    this.table = node;
    this.empty = make('p', {class: 'card', hidden: ''}, 'This server has no views. Name their files, or list their folders under '
      + 'views: in thalweg.yaml; then each appears here with its events, its rows and how current it is.');
    this.heading = make('h1', {tabindex: '-1'}, 'Views');
    this.node = make('div', {}, this.heading, make('div', {class: 'card'}, node), this.empty);
  }

  row(view) {
    const node = make('tr');
    const about = make('small');
    cell(node, '', 'name', 'th').append(make('a', {href: linkTo(view.name)}, view.name), about);
    const cells = ['entities', 'features', 'events/s', 'rows/s', 'waiting', 'bad and late', 'up to', 'behind']
      .map((label, n) => cell(node, label, n === 0 ? 'entities' : 'n'));
    const values = cells.map((each) => each.appendChild(make('span')));
    const lines = new Map([['events', 2], ['rows', 3], ['lag', 4], ['bad_and_late', 5], ['behind_seconds', 7]].map(([name, n]) => {
      const line = new Sparkline(TRENDS[name]);
      cells[n].append(line.svg);
      return [name, line];
    }));
    const state = cell(node, '', '');
    const mark = make('strong');
    const reason = make('small');
    state.append(mark, reason);
    return {node, show: (now) => {
      text(about, now.description);
      this.figures(now).forEach((value, n) => text(values[n], value));
      lines.forEach((line, name) => line.show(now.recent[name]));
      text(mark, readiness(now));
      mark.className = now.ready ? 'calm' : 'overloaded';
      text(reason, now.reason ?? '');
    }};
  }

  figures(view) {
    const counts = new Measured(view.series);
    const events = counts.sum('thalweg_events_total');
    const lag = counts.value('thalweg_lag_records');
    return [
      view.entities.map((entity) => entity.name).join(', '), count(view.features), number(view.rates.events), number(view.rates.rows),
      count(lag),
      events === null ? '–' : count(counts.value('thalweg_events_total', {outcome: 'bad'})
        + counts.value('thalweg_events_total', {outcome: 'late'})),
      moment(view.watermark), behind(view),
    ];
  }

  async look() {
    const {views} = await ask('/v1/console/views');
    this.rows.show(views, (view) => view.name);
    this.table.parentElement.hidden = views.length === 0;
    this.empty.hidden = views.length > 0;
  }
}

/** A section of a view's page with a heading. */
function section(title, ...parts) {
  return make('section', {class: 'card', 'aria-label': title}, make('h2', {}, title), ...parts);
}

/** What became of the events, and whether the counts add up. */
class EventsView {
  #meters = new Meters();
  #bar = new Bar(OUTCOMES);
  #before = null;

  constructor() {
    const outcomes = table('Events by what became of them', 'plain', [['Events'], ['Count', 'n'], ['Share', 'n'], ['A second', 'n'], ['Meaning']]);
    this.cells = new Map(OUTCOMES.map((outcome) => {
      const row = make('tr');
      cell(row, '', '', 'th').append(make('i', {class: outcome}), ` ${outcome}`);
      const cells = [cell(row, ''), cell(row, ''), cell(row, '')];
      cell(row, '', 'soft').append(OUTCOMES_IN_WORDS[outcome]);
      outcomes.body.append(row);
      return [outcome, cells];
    }));
    this.sum = make('p', {class: 'sum'});
    const reasons = table('Bad and late events by reason', 'plain', [['Reason'], ['Count', 'n'], ['A second', 'n']]);
    this.reasons = new Keyed(reasons.body, (reason) => this.reason(reason));
    this.reasonsTable = reasons.node;
    this.letters = make('a');
    this.node = section('Events', this.#bar.svg, outcomes.node, this.sum, reasons.node, this.letters);
  }

  reason(first) {
    const row = make('tr');
    cell(row, '', '', 'th').append(inWords(first.name));
    const cells = [cell(row, ''), cell(row, '')];
    return {node: row, show: ({name, value, nowMs}) => {
      text(cells[0], count(value));
      text(cells[1], number(this.#meters.add(`reason ${name}`, value, nowMs)));
    }};
  }

  show(view, counts, nowMs) {
    this.node.hidden = counts.all('thalweg_events_total').length === 0;
    if (this.node.hidden) {
      return;
    }
    const events = counts.sum('thalweg_events_total');
    const by = OUTCOMES.map((outcome) => counts.value('thalweg_events_total', {outcome}));
    OUTCOMES.forEach((outcome, n) => {
      const [all, share, rate] = this.cells.get(outcome);
      text(all, count(by[n]));
      text(share, events === 0 ? '–' : percent(by[n] / events));
      text(rate, number(this.#meters.add(outcome, by[n], nowMs)));
    });
    this.#bar.show(by.map((value) => (events === 0 ? 0 : value / events)),
      OUTCOMES.map((outcome, n) => `${outcome} ${percent(events === 0 ? null : by[n] / events)}`).join(', '));
    const reasons = counts.all('thalweg_bad_events_total').filter((one) => one.value > 0);
    this.add(events, by[2] + by[3], reasons.reduce((sum, one) => sum + one.value, 0));
    this.reasons.show(reasons.map((one) => ({name: one.labels.reason, value: one.value, nowMs})), (one) => one.name);
    this.reasonsTable.hidden = reasons.length === 0;
    this.letters.href = `#/letters?${new URLSearchParams({view: view.name})}`;
    this.letters.hidden = reasons.length === 0;
    text(this.letters, `Dead letters in the topic ${view.dead_letter_topic}`);
  }

  /**
   * Each bad or late event has one reason, so both counts are the same. They are read one after the other while events come, so
   * they differ only if one is below what the other was a look before.
   */
  add(events, refused, explained) {
    const before = this.#before ?? {refused: 0, explained: 0};
    const adds = explained >= before.refused && refused >= before.explained;
    this.#before = {refused, explained};
    this.sum.className = adds ? 'sum soft' : 'sum overloaded';
    text(this.sum, adds
      ? `${count(events)} events read. The counts add up: each is in one line, and each bad or late one has a reason.`
      : `The counts do not add up: ${count(refused)} events are bad or late, and ${count(explained)} have a reason.`);
  }
}

/** How far the view has come in event time, and how soon rows are readable. */
class TimeView {
  #figures = new Figures();
  #histogram = new Histogram();

  constructor() {
    this.caption = make('figcaption');
    this.ends = make('p', {class: 'ends soft', 'aria-hidden': 'true'}, make('span'), make('span'));
    this.figure = make('figure', {}, this.caption, this.#histogram.svg, this.ends);
    this.lines = new Map(Object.entries(TRENDS).map(([name, label]) => [name, new Sparkline(label, 240, 48)]));
    const trends = [...this.lines].map(([name, {svg}]) => make('figure', {}, make('figcaption', {}, TRENDS[name]), svg));
    this.node = section('Time and rows', this.#figures.node, this.figure, make('p', {class: 'soft'}, 'The last ten minutes:'),
      make('div', {class: 'charts'}, ...trends));
  }

  show(view, counts) {
    const figures = this.#figures;
    const read = counts.value('thalweg_newest_event_timestamp_seconds');
    const reached = counts.value('thalweg_watermark_timestamp_seconds');
    const lag = counts.value('thalweg_lag_records');
    const iso = (value) => moment(new Date(1000 * value).toISOString());
    figures.show('Events read up to', read === null ? null : iso(read));
    figures.show('Waiting in Kafka', lag === null ? null : count(lag), 'records that are not fetched yet');
    figures.show('Watermark of the job', reached === null ? null : iso(reached),
      read === null || reached === null ? '' : `${seconds(Math.max(0, read - reached))} behind the newest event`);
    figures.show('Readable up to', view.watermark ? moment(view.watermark) : 'no window end yet', view.watermark ? `${behind(view)}${clockName() === 'UTC' ? '' : ` of ${clockName()}`} behind` : '');
    figures.show('Kept for', view.ttl, view.history ? `and ${view.history} of history` : '');
    this.skew(view.skew);
    this.rows(view, counts);
    for (const [name, line] of this.lines) {
      line.show(view.recent[name]);
      line.svg.parentElement.hidden = line.svg.classList.contains('empty');
    }
    const fresh = counts.distribution('thalweg_freshness_seconds') ?? counts.distribution('thalweg_load_freshness_seconds');
    const all = fresh?.counts.reduce((sum, each) => sum + each, 0) ?? 0;
    this.figure.hidden = all === 0;
    if (all > 0) {
      const caption = fresh.name === 'thalweg_load_freshness_seconds'
        ? 'From a window end until its rows are readable' : 'From the watermark until the rows of a window end are readable';
      text(this.caption, `${caption}: half ${bound(within(fresh, 0.5), fresh.bounds)}, 99 % ${bound(within(fresh, 0.99), fresh.bounds)}, `
        + `of ${count(all)} window ends`);
      this.#histogram.show(fresh, caption);
      text(this.ends.firstChild, `≤ ${seconds(fresh.bounds[0])}`);
      text(this.ends.lastChild, `> ${seconds(fresh.bounds.at(-1))}`);
    }
  }

  /** The newest report of thalweg skew. */
  skew(skew) {
    const causes = Object.entries(skew?.causes ?? {}).filter(([, answers]) => answers > 0);
    const all = causes.reduce((sum, [, answers]) => sum + answers, 0);
    const others = causes.filter(([cause]) => cause !== 'equal').map(([cause, answers]) => `${count(answers)} ${cause.replaceAll('_', ' ')}`);
    this.#figures.show('Answers equal to the log', all ? `${number(100 * (skew.causes.equal ?? 0) / all)} %` : null,
      all ? `of ${count(all)}, compared ${moment(skew.at)}${others.map((each) => `; ${each}`).join('')}` : '');
  }

  rows(view, counts) {
    const figures = this.#figures;
    for (const [name, label] of [['thalweg_rows_total', 'Rows assembled'], ['thalweg_loaded_rows_total', 'Rows loaded']]) {
      const rows = counts.value(name);
      figures.show(label, rows === null ? null : count(rows), view.rates.rows === undefined
        ? 'a rate needs two window ends' : `${number(view.rates.rows)} a second, from window end to window end`);
    }
    const some = (label, value, note) => figures.show(label, value ? count(value) : null, note);
    some('Rows the store refused', counts.value('thalweg_store_refused_rows_total'), 'to the dead letters');
    some('Rows that cannot be decoded', counts.value('thalweg_unreadable_rows_total'), 'answered as UNREADABLE');
    some('Retries of writes', counts.value('thalweg_load_retries_total'));
    some('Dead letters', counts.sum('thalweg_load_dead_letters_total'));
    const flying = counts.value('thalweg_load_in_flight');
    figures.show('Writes in flight', flying === null ? null : count(flying));
  }
}

/** Reads of the view. */
class ReadsView {
  #meters = new Meters();

  constructor() {
    const {node, body} = table('Reads', 'plain', [['Reads'], ['Count', 'n'], ['A second', 'n'], ['Half', 'n'], ['99 %', 'n']]);
    this.rows = new Keyed(body, (kind) => this.row(kind));
    this.node = section('Reads', node, make('p', {class: 'soft'}, 'Without the network, since the server started; those of this console count, too.'));
  }

  row(first) {
    const row = make('tr');
    cell(row, '', '', 'th').append(first.name);
    const cells = [1, 2, 3, 4].map(() => cell(row, ''));
    return {node: row, show: ({name, read, nowMs}) => {
      const all = read.counts.reduce((sum, each) => sum + each, 0);
      [count(all), number(this.#meters.add(name, all, nowMs)), bound(within(read, 0.5), read.bounds), bound(within(read, 0.99), read.bounds)]
        .forEach((value, n) => text(cells[n], value));
    }};
  }

  show(counts, nowMs) {
    const reads = [...counts.all('thalweg_read_seconds'), ...counts.all('thalweg_scan_seconds')]
      .filter((one) => one.counts?.some((each) => each > 0));
    this.node.hidden = reads.length === 0;
    this.rows.show(reads.map((read) => ({name: read.labels.read_from ?? 'regions', read, nowMs})), (one) => one.name);
  }
}

/** Where the store has rows. */
class PlacesView {
  #lookedMs = -Infinity;

  constructor(name) {
    this.name = name;
    this.summary = make('p', {class: 'soft'});
    const {node, body} = table('Groups with rows', 'plain', [['Group'], ['Tiles', 'n'], ['Newest window end', 'n']]);
    this.rows = new Keyed(body, (group) => this.row(group));
    this.table = node;
    this.node = section('Where the store has rows', this.summary, node);
    this.node.hidden = true;
  }

  row(group) {
    const row = make('tr');
    const parameters = new URLSearchParams({view: this.name});
    Object.entries(group.entities).forEach(([name, value]) => parameters.set(`e.${name}`, value));
    const values = Object.entries(group.entities).map(([name, value]) => `${name} ${named(name, value)}`).join(', ');
    cell(row, '', '', 'th').append(make('a', {href: `#/map?${parameters}`}, values || 'all'));
    const cells = [cell(row, ''), cell(row, '')];
    return {node: row, show: ({tiles, last_end: end}) => {
      text(cells[0], count(tiles));
      text(cells[1], moment(end));
    }};
  }

  async look(view, nowMs) {
    if (view.kind !== 'rings' || nowMs - this.#lookedMs < PLACES_MS) {
      return;
    }
    this.#lookedMs = nowMs;
    const {groups, tiles} = await ask(`/v1/console/views/${encodeURIComponent(this.name)}`);
    this.node.hidden = groups.length === 0;
    const more = groups.length > GROUPS_MOST ? ` The first ${GROUPS_MOST} are listed.` : '';
    text(this.summary, `${count(tiles.length)} ${tiles.length === 1 ? 'tile' : 'tiles'}, ${count(groups.length)} `
      + `${groups.length === 1 ? 'group' : 'groups'} of the other entities.${more} A link shows one on the map.`);
    this.rows.show(groups.slice(0, GROUPS_MOST), (group) => JSON.stringify(group.entities));
  }
}

/** One view. */
class ViewPage {
  #events = new EventsView();
  #time = new TimeView();
  #reads = new ReadsView();

  constructor(name) {
    this.name = name;
    this.heading = make('h1', {tabindex: '-1'}, name);
    this.about = make('p', {class: 'soft'});
    this.lookUp = make('a', {href: `#/keys?${new URLSearchParams({view: name})}`}, 'Look up a key');
    this.state = make('strong', {role: 'status'});
    this.why = make('span');
    this.verdict = make('p', {class: 'verdict'}, this.state, ' ', this.why);
    this.places = new PlacesView(name);
    this.definition = make('div');
    this.parts = make('div', {hidden: ''}, this.verdict, make('p', {}, this.lookUp),
      make('div', {class: 'halves'}, this.#events.node, make('div', {}, this.#time.node, this.#reads.node)),
      this.places.node, this.definition);
    this.missing = make('p', {class: 'card', hidden: ''});
    this.node = make('div', {}, make('p', {class: 'crumbs'}, make('a', {href: '#/views'}, 'Views'), ' / '), this.heading, this.about,
      this.missing, this.parts);
  }

  async look() {
    const path = `/v1/console/views/${encodeURIComponent(this.name)}`;
    const view = await this.found(ask(`${path}/state`));
    if (view === null) {
      return;
    }
    const nowMs = performance.now();
    const counts = new Measured(view.series);
    text(this.about, [view.description, `${kind(view)}: ${view.entities.map((entity) => `${entity.name} (${entity.type})`).join(', ')}`]
      .filter(Boolean).join(' · '));
    this.verdict.className = `verdict ${view.ready ? 'good' : 'bad'}`;
    text(this.state, readiness(view));
    text(this.why, view.ready ? `Reads get values up to ${moment(view.watermark)}.`
      : [`Reads get no current values: ${view.reason}.`, waitsFor(view, counts)].filter(Boolean).join(' '));
    this.#events.show(view, counts, nowMs);
    this.#time.show(view, counts);
    this.#reads.show(counts, nowMs);
    this.parts.hidden = false;
    if (this.definition.childElementCount === 0) {
      this.define(await ask(`${path}/definition`), view);
    }
    await this.places.look(view, nowMs);
  }

  /** The answer; null, with a sentence on the page, if there is no such view. */
  async found(answer) {
    try {
      return await answer;
    } catch (e) {
      if (e.status !== 404) {
        throw e;
      }
      this.missing.hidden = false;
      this.parts.hidden = true;
      text(this.missing, e.message);
      return null;
    }
  }

  define(definition, view) {
    const all = definition.features;
    const types = new Set(all.map(({type}) => type));
    const features = make('ul', {class: 'names'}, ...all.map(({name, type}) => make('li', {}, view.kind === 'rings'
      ? make('a', {href: `#/map?${new URLSearchParams({view: this.name, feature: name})}`}, name) : name,
    ...(types.size > 1 ? [' ', make('small', {}, type)] : []))));
    if (view.kind === 'rings') {
      const windows = new Set(all.map(({name}) => name.split('_')[1])).size;
      features.style.gridTemplateColumns = `repeat(${windows}, minmax(0, 1fr))`; // a ring in each line
    }
    const title = `${count(all.length)} ${all.length === 1 ? 'feature' : 'features'}`;
    this.definition.append(section(types.size === 1 ? `${title}, ${[...types][0]}` : title, features));
    const lines = [];
    if (definition.explained) {
      lines.push(make('p', {class: 'soft'}, 'As thalweg explain prints it.'), preformatted('Definition', definition.explained));
    }
    if (definition.fingerprint.length > 0) {
      lines.push(make('h3', {}, `Fingerprint, version ${definition.version}`),
        make('p', {class: 'soft'}, 'What the kept state depends on: a job refuses a checkpoint of another one.'),
        preformatted('Fingerprint', definition.fingerprint.join('\n')));
    }
    if (lines.length > 0) {
      this.definition.append(section('Definition', ...lines));
    }
  }
}

function preformatted(label, content) {
  return make('pre', {tabindex: '0', role: 'region', 'aria-label': label}, content);
}

let current = null;

/** Shows what the address names. */
function route() {
  const name = chosen();
  if (current === null || current.name !== name) {
    current = name === null ? {name, page: new ListPage()} : {name, page: new ViewPage(name)};
    page.replaceChildren(current.page.node);
    return true;
  }
  return false;
}

const poll = new Poll(() => current.page.look(), LOOK_MS);

/** Shows the page. */
export function show() {
  route();
  poll.start();
}

/** Stops reading. */
export function hide() {
  poll.stop();
}

/** The address has changed: another view, or all. */
export function address() {
  if (route()) {
    current.page.heading.focus();
    scrollTo(0, 0);
    poll.soon();
  }
}
