// The page of load management: reads its state once a second and changes the rules. The API: docs/reference/admin.md.

import {Poll, ask, at, json, say, text, token} from './api.js';
import {Chart, Series, number} from './chart.js';

const LOOK_MS = 1000;
const LEVELS = ['0 infrastructure', '1 core', '2 feature', '3 background'];
const NEVER_DROP_SHARE_MAX = 0.6;
const PRESSURE_FROM = 0.6;
const RANKS = 512;
/** An endpoint without calls for this long is folded. */
const IDLE_MS = 30_000;

const views = new Map();
let inForce = {version: -1, rules: {}};

/** Changes the rules, and shows what is in force then, whatever came of it. A token proves who changes them. */
async function change(method, path, what) {
  const author = at('#author').value.trim();
  if (author || token()) {
    localStorage.setItem('author', author);
    await send(method, path, {version: inForce.version, author: author || null, ...what});
  } else {
    say('Say who you are first: it is written into the audit trail.');
    at('#author').focus();
  }
  await showRules(true);
  await look();
  for (const select of document.querySelectorAll('select')) {
    select.value = select.dataset.shown ?? select.value;
  }
}

async function send(method, path, body) {
  try {
    await ask(path, {method, headers: json(), body: JSON.stringify(body)});
    say('');
  } catch (e) {
    say(`Not changed: ${e.message}`);
  }
}

function setCriticality(endpoint, caller, value) {
  const criticality = value === '' ? null : Number(value);
  return change('POST', '/v1/qalm/rules:set_criticality', {endpoint, caller, criticality});
}

function setMode(endpoint, mode) {
  return change('POST', '/v1/qalm/rules:set_mode', endpoint === null ? {mode} : {endpoint, mode});
}

function levels(select, inherited) {
  const nothing = new Option(inherited, '');
  select.replaceChildren(nothing, ...LEVELS.map((name, level) => new Option(name, String(level))));
}

/** Shows a value, unless the user is choosing another one. */
function choose(select, value) {
  if (document.activeElement !== select || select.dataset.shown === undefined) {
    select.value = value;
  }
  select.dataset.shown = value;
}

/** With the keyboard a select changes at every step, so its value counts when it is confirmed or left. */
function onChosen(select, chosen) {
  let byKey = false;
  const commit = () => {
    byKey = false;
    if (select.value !== select.dataset.shown) {
      select.dataset.shown = select.value;
      chosen(select.value);
    }
  };
  select.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      commit();
    } else if (event.key === 'Escape') {
      select.value = select.dataset.shown;
    } else if (event.key !== 'Tab') {
      byKey = true;
    }
  });
  select.addEventListener('pointerdown', () => {
    byKey = false;
  });
  select.addEventListener('change', () => {
    if (!byKey) {
      commit();
    }
  });
  select.addEventListener('blur', commit);
}

/** Turns totals into rates per second. */
class Rate {
  add(total, now) {
    const rate = this.total === undefined ? null : (Math.max(0, total - this.total) * 1000) / (now - this.now);
    this.total = total;
    this.now = now;
    return rate;
  }
}

class CallerView {
  served = new Series();
  shed = new Series();
  servedRate = new Rate();
  shedRate = new Rate();
  neverDropRate = new Rate();
  demotedRate = new Rate();
  chart = new Chart('served and shed a second', ['served', 'shed'], 112, 26);

  constructor(endpoint, name) {
    this.name = name;
    this.row = document.createElement('tr');
    this.select = document.createElement('select');
    this.select.setAttribute('aria-label', `Criticality of ${name} at ${endpoint}`);
    levels(this.select, '–');
    onChosen(this.select, (value) => setCriticality(endpoint, name, value));
    this.cells = {};
    this.row.dataset.caller = name;
    this.note = document.createElement('small');
    this.cell('caller', '').append(name, this.note);
    this.cell('criticality', '').append(this.select);
    for (const [key, label] of [['served', 'served/s'], ['shed', 'shed/s'], ['p50', 'p50 ms'], ['p99', 'p99 ms']]) {
      this.cell(key, label).className = 'n';
    }
    this.cell('chart', '').append(this.chart.svg);
  }

  cell(key, label) {
    const cell = this.row.insertCell();
    if (label) {
      cell.dataset.label = label;
    }
    this.cells[key] = cell;
    return cell;
  }

  show(caller, now) {
    this.served.add(this.servedRate.add(caller.served, now));
    this.shed.add(this.shedRate.add(caller.shed, now));
    text(this.select.options[0], `by rule: ${caller.ruled}`);
    choose(this.select, caller.said === null ? '' : String(caller.said));
    text(this.cells.served, number(this.served.last()));
    text(this.cells.shed, number(this.shed.last()));
    text(this.cells.p50, number(caller.latency_ms.p50));
    text(this.cells.p99, number(caller.latency_ms.p99));
    this.chart.draw([this.served, this.shed]);
    text(this.note, this.remarks(caller, now).join('; '));
  }

  /** What is unusual about the caller. */
  remarks(caller, now) {
    const neverDrop = this.neverDropRate.add(caller.never_drop, now);
    const demoted = this.demotedRate.add(caller.demoted, now);
    return [
      caller.criticality !== caller.ruled && `last came as level ${caller.criticality}`,
      neverDrop > 0 && `${number(neverDrop)}/s of levels 0 and 1`,
      caller.learned_per_second !== null && `budget of ${number(caller.learned_per_second)}/s learned`,
      demoted > 0 && `${number(demoted)}/s beyond its budget`,
      caller.heaviness > 0 && `takes more than its share (${caller.heaviness} of 3)`,
    ].filter(Boolean);
  }
}

/** Calls a second by outcome and level: a row for each outcome that has occurred. */
class OutcomesView {
  rows = new Map();

  constructor(body) {
    this.body = body;
  }

  show(levels, now) {
    const counts = levels.map((level) => ({...level.outcomes, ...level.refusals}));
    for (const outcome of new Set(counts.flatMap(Object.keys))) {
      if (!this.rows.has(outcome)) {
        this.add(outcome);
      }
    }
    for (const [outcome, {cells, rates}] of this.rows) {
      counts.forEach((at, level) => text(cells[level], number(rates[level].add(at[outcome] ?? 0, now))));
    }
  }

  add(outcome) {
    const row = this.body.insertRow();
    row.dataset.outcome = outcome;
    const head = document.createElement('th');
    head.scope = 'row';
    head.textContent = outcome.replaceAll('_', ' ');
    row.append(head);
    const cells = LEVELS.map(() => {
      const cell = row.insertCell();
      cell.className = 'n';
      return cell;
    });
    this.rows.set(outcome, {cells, rates: LEVELS.map(() => new Rate())});
  }
}

class EndpointView {
  callers = new Map();
  figures = [];
  servedRate = new Rate();
  shedRate = new Rate();
  passedRate = new Rate();

  constructor(name) {
    this.name = name;
    this.node = at('#endpoint-template').content.firstElementChild.cloneNode(true);
    text(at('h2', this.node), name);
    this.node.dataset.endpoint = name;
    this.mode = at('.endpoint-mode', this.node);
    this.mode.setAttribute('aria-label', `Mode of ${name}`);
    onChosen(this.mode, (value) => setMode(name, value));
    this.criticality = at('.endpoint-criticality', this.node);
    levels(this.criticality, 'no rule: 2 feature');
    onChosen(this.criticality, (value) => setCriticality(name, null, value));
    this.outcomes = new OutcomesView(at('.outcomes tbody', this.node));
    const [first, more] = this.node.querySelectorAll('.charts');
    const two = ['served', 'shed'];
    this.figure(first, 'Served, shed a second', two, (e, now) => [
      this.servedRate.add(e.served, now),
      this.shedRate.add(e.shed, now),
    ]);
    this.figure(first, 'Latency p50, p99 (ms)', two, (e) => [e.latency_ms.p50, e.latency_ms.p99]);
    this.figure(first, 'Offered, capacity a second', two, (e) => [e.offered_per_second, e.capacity_per_second]);
    this.figure(first, 'In flight, limit', two, (e) => [e.inflight, e.limit]);
    this.figure(more, 'Levels 0 and 1, a second', ['served'], (e) => [e.never_drop_per_second]);
    this.figure(more, 'Slots reserved, borrowed', two, (e) => [e.reserved, e.borrowed]);
    this.figure(more, 'Waiting', ['served'], (e) => [e.waiting]);
    this.figure(more, 'Shortest wait, overload from (ms)', two, (e) => [e.min_delay_ms, e.delay_threshold_ms]);
    this.figure(more, 'Wait p50, p99 (ms)', two, (e) => [e.waited_ms.p50, e.waited_ms.p99]);
    this.figure(more, 'Service time, mean (ms)', ['served'], (e) => [e.mean_service_ms]);
    this.figure(more, `Threshold rank, ${RANKS} = open`, ['served'], (e) => [e.threshold_rank]);
    this.unfold = at('.unfold', this.node);
    this.unfold.addEventListener('click', () => {
      this.unfolded = this.node.classList.contains('idle');
      this.fold();
    });
    at('.more-charts', this.node).open = matchMedia('(min-width: 60rem)').matches;
  }

  figure(charts, label, classes, read) {
    const chart = new Chart(`${label} at ${this.name}`, classes);
    const node = document.createElement('figure');
    const caption = document.createElement('figcaption');
    const now = document.createElement('b');
    caption.append(`${label} `, now);
    node.append(caption, chart.svg);
    charts.append(node);
    this.figures.push({chart, read, now, series: classes.map(() => new Series())});
  }

  show(endpoint, now) {
    const state = at('.state', this.node);
    text(state, this.inWords(endpoint, now));
    state.className = `state ${endpoint.overloaded ? 'overloaded' : 'calm'}`;
    for (const {chart, read, now: shown, series} of this.figures) {
      read(endpoint, now).forEach((value, line) => series[line].add(value));
      text(shown, series.map((one) => number(one.last())).join(', '));
      chart.draw(series);
    }
    this.warn(endpoint);
    this.outcomes.show(endpoint.levels, now);
    this.showCallers(endpoint, now);
    this.showShadow(endpoint.shadow);
    this.foldIfIdle(endpoint, now);
    return this.refusals(endpoint, now);
  }

  /** What is refused for whom and since when, in words; empty if nothing is. */
  refusals(endpoint, now) {
    const shed = this.figures[0].series[1].last() ?? 0;
    const refusing = endpoint.mode === 'on' && (shed > 0 || endpoint.shed_ratio > 0);
    this.refusingSince = refusing ? this.refusingSince ?? {now, isFirst: !this.looked} : null;
    this.looked = true;
    if (!refusing) {
      return '';
    }
    const whom = [...this.callers.values()].filter((caller) => caller.shed.last() > 0).map((caller) => caller.name);
    const since = this.refusingSince.isFirst ? 'since before this page was opened'
      : `for ${Math.max(1, Math.round((now - this.refusingSince.now) / 1000))} s`;
    return `${this.name} refuses ${number(shed)} calls a second ${since}${whom.length > 0 ? `, those of ${whom.join(', ')}` : ''}.`;
  }

  /** Folds the endpoint while nobody calls it, unless the user wants to see it. */
  foldIfIdle(endpoint, now) {
    const isCalled = endpoint.offered_per_second > 0 || endpoint.inflight > 0 || endpoint.overloaded;
    this.calledMs = isCalled ? now : this.calledMs ?? -IDLE_MS;
    this.isIdle = now - this.calledMs >= IDLE_MS;
    this.fold();
  }

  fold() {
    const folded = this.isIdle && !this.unfolded;
    this.node.classList.toggle('idle', folded);
    this.unfold.hidden = !this.isIdle;
    this.unfold.setAttribute('aria-expanded', String(!folded));
    text(this.unfold, folded ? 'Show' : 'Hide');
  }

  inWords(endpoint, now) {
    const passed = this.passedRate.add(endpoint.passed, now);
    return [
      endpoint.overloaded ? 'overloaded' : this.isIdle ? 'no calls' : 'calm',
      endpoint.shed_ratio > 0 && `${number(100 * endpoint.shed_ratio)} % shed`,
      endpoint.mode !== 'on' && `mode ${endpoint.mode}`,
      passed > 0 && `${number(passed)}/s pass unmanaged`,
    ].filter(Boolean).join(', ');
  }

  warn(endpoint) {
    const warnings = [];
    if (endpoint.never_drop_share > NEVER_DROP_SHARE_MAX) {
      const share = number(100 * endpoint.never_drop_share);
      warnings.push(`Calls of levels 0 and 1 take ${share} % of the capacity, so shedding the others hardly helps.`);
    }
    if (endpoint.threshold_rank < RANKS) {
      warnings.push(`Calls above rank ${endpoint.threshold_rank} are refused on arrival.`);
    }
    if (endpoint.failures > 0) {
      warnings.push(`Load management itself failed ${number(endpoint.failures)} times; the server's log has the reasons.`);
    }
    const node = at('.warning', this.node);
    node.hidden = warnings.length === 0;
    text(node, warnings.join(' '));
  }

  showCallers(endpoint, now) {
    const body = at('.callers tbody', this.node);
    for (const caller of endpoint.callers) {
      let view = this.callers.get(caller.caller);
      if (!view) {
        view = new CallerView(this.name, caller.caller);
        this.callers.set(caller.caller, view);
        body.append(view.row);
      }
      view.show(caller, now);
    }
    const here = new Set(endpoint.callers.map((caller) => caller.caller));
    for (const [name, view] of this.callers) {
      if (!here.has(name)) {
        view.row.remove();
        this.callers.delete(name);
      }
    }
    const more = at('.more', this.node);
    more.hidden = endpoint.callers_total <= endpoint.callers.length;
    text(more, `The busiest ${endpoint.callers.length} of ${number(endpoint.callers_total)} callers.`);
  }

  showShadow(shadow) {
    const node = at('.shadow', this.node);
    node.hidden = shadow === null;
    if (shadow === null) {
      return;
    }
    const byLevel = shadow.levels
      .filter((level) => level.would_shed > 0)
      .map((level) => `; level ${level.level}: ${Object.entries(level.refusals)
        .map(([reason, count]) => `${number(count)} ${reason.replaceAll('_', ' ')}`).join(', ')}`)
      .join('');
    text(at('summary', node),
      `Shadow mode would have shed ${number(shadow.would_shed)} of ${number(shadow.calls)} calls${byLevel}`);
    const rows = shadow.callers.map((caller) => {
      const row = document.createElement('tr');
      for (const value of [caller.caller, caller.criticality, number(caller.calls), number(caller.would_shed)]) {
        row.insertCell().textContent = value;
      }
      row.cells[2].className = 'n';
      row.cells[3].className = 'n';
      return row;
    });
    at('tbody', node).replaceChildren(...rows);
  }

  showRules(rules) {
    const said = rules.endpoints?.[this.name] ?? {};
    choose(this.mode, said.mode ?? 'on');
    choose(this.criticality, said.criticality === undefined ? '' : String(said.criticality));
  }
}

/** What the endpoints share. */
function showProcess(process) {
  const pressures = Object.entries(process.pressures);
  const pressed = pressures.some(([, pressure]) => pressure >= PRESSURE_FROM);
  const node = at('#process');
  node.className = pressed ? 'pressed' : '';
  text(node, [
    `${process.slots_free} of ${process.slots} slots free to borrow`,
    pressures.length > 0 && `pressure of ${pressures.map(([signal, value]) => `${signal} ${number(value)}`).join(', ')}`
      + (pressed ? ': level 3 is refused, from 0.8 on level 2' : ''),
    `threads late by ${number(process.lateness_ms)} ms`,
    `pauses: ${number(process.pauses)}`,
  ].filter(Boolean).join('; '));
}

async function look() {
  const {endpoints, process} = await ask('/v1/qalm/endpoints');
  const now = performance.now();
  showProcess(process);
  const refusals = [];
  for (const endpoint of endpoints) {
    let view = views.get(endpoint.endpoint);
    if (!view) {
      view = new EndpointView(endpoint.endpoint);
      views.set(endpoint.endpoint, view);
      at('#endpoints').append(view.node);
      view.showRules(inForce.rules);
    }
    refusals.push(view.show(endpoint, now));
  }
  const refused = refusals.filter(Boolean);
  text(at('#load-words'), refused.length > 0 ? refused.join(' ')
    : inForce.rules.mode === 'off' ? 'Load management is off: nothing is refused.' : 'Nothing is refused: all calls are answered.');
  at('#load-words').className = `verdict ${refused.length > 0 ? 'bad' : ''}`;
  at('#empty').hidden = views.size > 0;
}

/** Shows the rules in force, and with `always` the audit trail even if they have not changed. */
async function showRules(always) {
  const before = inForce.version;
  inForce = await ask('/v1/qalm/rules');
  const problem = inForce.problem ? `; ${inForce.problem}` : '';
  const since = new Date(inForce.since).toLocaleString();
  text(at('#rules-in-force'), inForce.version === 0
    ? `There are no rules yet: all callers have level 2${problem}`
    : `Version ${inForce.version} of the rules, by ${inForce.author}, since ${since}${problem}`);
  choose(at('#mode'), inForce.rules.mode ?? 'on');
  views.forEach((view) => view.showRules(inForce.rules));
  if (always || before !== inForce.version) {
    await showAudit();
  }
}

async function showAudit() {
  const {changes} = await ask('/v1/qalm/audit?limit=50');
  at('#audit-empty').hidden = changes.length > 0;
  at('#audit').replaceChildren(...changes.map((one) => {
    const item = document.createElement('li');
    const head = document.createElement('small');
    head.textContent = `version ${one.version}, ${one.author}, ${new Date(one.time).toLocaleString()}`;
    item.append(head, one.details.join('; '));
    return item;
  }));
}

const poll = new Poll(async () => {
  await showRules(false);
  await look();
}, LOOK_MS);

/** Shows the page. */
export function show() {
  poll.start();
}

/** Stops reading. */
export function hide() {
  poll.stop();
}

at('#author').value = localStorage.getItem('author') ?? '';
onChosen(at('#mode'), (value) => setMode(null, value));
