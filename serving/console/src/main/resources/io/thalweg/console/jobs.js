// The page of jobs: how each job did during the last seconds, by stage, with the verdict that `thalweg tune` has. The server judges;
// this file only shows. The answers: docs/reference/console.md.

import {Poll, ask, at, hasPage, text} from './api.js';
import {Chart, Series, number} from './chart.js';
import {Graph} from './graph.js';
import {Figures, Keyed, Measured, Meters, Strips, bytes, cell, count, make, percent, seconds, table} from './parts.js';

const LOOK_MS = 1000;
const ESTIMATE_MS = 5000;

const page = at('#jobs');

/** The busiest subtask of a stage, the mean of all, and the most delayed one. Shares, null while they are not measured. */
function load(stage) {
  const busy = stage.subtasks.map((subtask) => subtask.busy);
  if (busy.includes(null) || busy.length === 0) {
    return {busiest: null, mean: null, held: null, skew: null};
  }
  const busiest = Math.max(...busy);
  const mean = busy.reduce((sum, share) => sum + share, 0) / busy.length;
  const held = Math.max(...stage.subtasks.map((subtask) => subtask.back_pressured));
  return {busiest, mean, held, skew: busy.length > 1 && mean >= 0.01 ? busiest / mean : null};
}

function perSecond(stage, name) {
  return stage.subtasks.reduce((sum, subtask) => (subtask[name] === null ? null : sum + subtask[name]), 0);
}

/** How many checkpoints failed. Flink keeps no cause of one that could not begin. */
function failedWords({failed, last_failure: failure}) {
  return failed > 0 && !failure ? `${count(failed)} could not begin: tasks were still starting, or the log has the cause` : `${count(failed)} failed`;
}

class StageView {
  #strips = new Strips();
  #sent = new Series();
  #chart = new Chart('Records sent a second', ['served'], 112, 26);

  constructor(stage) {
    this.node = make('tr');
    this.name = cell(this.node, '', 'stage', 'th');
    this.label = make('span', {title: stage.name});
    this.mark = make('small', {class: 'mark'});
    this.filters = make('small');
    this.name.append(this.label, this.mark, this.filters);
    cell(this.node, '', 'time').append(this.#strips.svg);
    this.cells = {
      subtasks: cell(this.node, 'subtasks'),
      busiest: cell(this.node, 'busiest'),
      mean: cell(this.node, 'mean busy'),
      held: cell(this.node, 'held up'),
      skew: cell(this.node, 'skew'),
      in: cell(this.node, 'blocks in/s'),
      out: cell(this.node, 'blocks out/s'),
    };
    cell(this.node, '', 'spark').append(this.#chart.svg);
  }

  show(stage) {
    const {busiest, mean, held, skew} = load(stage);
    text(this.label, stage.label);
    text(this.mark, stage.isSlowest ? 'holds up the job' : '');
    text(this.filters, stage.filters.map(({definition, kept_per_second: kept, dropped_per_second: dropped}) =>
      `${definition}: ${number(kept)}/s kept, ${number(dropped)}/s filtered`).join('; '));
    this.node.classList.toggle('culprit', stage.isSlowest);
    this.#strips.show(stage.subtasks, `Busiest subtask ${percent(busiest)}, mean ${percent(mean)}, held up ${percent(held)}`);
    text(this.cells.subtasks, count(stage.subtasks.length));
    text(this.cells.busiest, percent(busiest));
    text(this.cells.mean, percent(mean));
    text(this.cells.held, percent(held));
    text(this.cells.skew, skew === null ? '–' : `${skew.toFixed(1)} ×`);
    text(this.cells.in, stage.is_reader ? '–' : number(perSecond(stage, 'in_per_second')));
    const sent = perSecond(stage, 'out_per_second');
    text(this.cells.out, number(sent));
    this.#sent.add(sent);
    this.#chart.draw([this.#sent]);
  }
}

class JobView {
  #figures = new Figures();
  #graph = new Graph();

  constructor(job) {
    this.title = make('h2');
    this.span = make('p', {class: 'soft'});
    this.state = make('strong', {role: 'status'});
    this.why = make('span');
    this.verdict = make('p', {class: 'verdict'}, this.state, ' ', this.why);
    this.findings = make('div', {class: 'findings'});
    this.found = new Keyed(this.findings, () => new FindingView());
    const {node, body} = table(`Stages of ${job.name}`, 'stages', [
      ['Stage'], ['Time of its subtasks'], ['Subtasks', 'n'], ['Busiest', 'n'], ['Mean busy', 'n'], ['Held up', 'n'], ['Skew', 'n'],
      ['Blocks in/s', 'n'], ['Blocks out/s', 'n'], ['Blocks out/s, two minutes'],
    ]);
    this.stages = new Keyed(body, (stage) => new StageView(stage));
    this.node = make('article', {class: 'card job'}, make('header', {}, this.title, this.span), this.verdict, this.findings,
      make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Graph of ${job.name}`}, this.#graph.svg),
      this.#figures.node, make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Stages of ${job.name}`}, node),
      legend());
  }

  show(job) {
    text(this.title, job.name);
    const measured = job.observed_seconds !== null;
    text(this.span, [
      measured && `the last ${number(Math.round(job.observed_seconds))} s`,
      job.cores !== null && `${number(job.cores)} of ${job.processors} processors in use`,
    ].filter(Boolean).join(', '));
    this.judge(job, measured);
    const stages = job.stages.map((stage) => ({...stage, isSlowest: stage.name === job.slowest && !job.healthy}));
    this.#graph.show(stages, (stage) => ({busiest: load(stage).busiest, sent: perSecond(stage, 'out_per_second')}));
    this.stages.show(stages, (stage) => stage.id);
    this.measure(job);
  }

  judge(job, measured) {
    this.verdict.className = `verdict ${measured ? (job.healthy ? 'good' : 'bad') : 'open'}`;
    text(this.state, measured ? (job.healthy ? 'Healthy' : 'Something holds it up') : 'Observing');
    text(this.why, measured ? (job.healthy ? 'Every stage keeps up.' : `${job.findings[0].evidence}.`)
      : 'The verdict needs five seconds of figures from Flink.');
    // The sentence above has the evidence of the first.
    this.found.show(job.findings.map((finding, n) => ({...finding, isFirst: n === 0})), (finding) => finding.domain);
  }

  measure(job) {
    const figures = this.#figures;
    const checkpoints = job.checkpoints;
    const last = checkpoints?.last;
    figures.show('Last checkpoint', checkpoints === null ? null : last ? `${seconds(Math.max(0, last.age_ms) / 1000)} ago` : 'none yet',
      checkpoints ? `every ${seconds(checkpoints.every_ms / 1000)}` : '');
    figures.show('Its size', last ? bytes(last.bytes) : null, last ? `in ${seconds(last.duration_ms / 1000)}` : '');
    figures.show('Checkpoints', checkpoints ? count(checkpoints.completed) : null,
      checkpoints ? failedWords(checkpoints) : '');
    figures.show('State, estimated', job.estimated === null ? null : bytes(job.estimated), 'at most, at the rates of its views');
    const failure = checkpoints?.last_failure;
    figures.show('Last failed checkpoint', failure ? `${seconds(Math.max(0, failure.age_ms) / 1000)} ago` : null, failure?.cause);
    figures.show('Restarts', count(job.restarts));
    figures.show('Heap', job.heap_max > 0 ? bytes(job.heap_used) : null, `of ${bytes(job.heap_max)}`);
    figures.show('Collecting garbage', job.gc_share === null ? null : percent(job.gc_share), 'of the time');
  }
}

/** A finding, in the words of `thalweg tune`. */
class FindingView {
  constructor() {
    this.parts = {evidence: make('dd'), change: make('dd'), effect: make('dd')};
    this.domain = make('h3');
    this.node = make('section', {}, this.domain, make('dl', {},
      ...Object.entries(this.parts).map(([name, value]) => make('div', {}, make('dt', {}, name), value))));
  }

  show(finding) {
    text(this.domain, `${finding.domain} (${finding.area})`);
    Object.entries(this.parts).forEach(([name, node]) => text(node, finding[name]));
    this.parts.evidence.parentElement.hidden = finding.isFirst;
  }
}

function legend() {
  return make('p', {class: 'soft legend'}, make('i', {class: 'busy'}), 'busy ', make('i', {class: 'held'}),
    'held up: it waits for a later stage ', make('i', {class: 'rest'}), 'idle. One line for each subtask; skew is the busiest by the mean. '
    + 'A record between stages is a block of events.');
}

/** The estimated size of the state of each view at its current rates. */
class Estimates {
  #askedMs = -Infinity;
  #bytes = new Map();

  of(name) {
    return this.#bytes.get(name) ?? null;
  }

  /** That of all views; null while none is known. */
  sum() {
    return this.#bytes.size === 0 ? null : [...this.#bytes.values()].reduce((sum, one) => sum + one, 0);
  }

  /** `rates` has events and rows a second by the name of the view. */
  async look(rates, nowMs) {
    const known = [...rates].filter(([, {events, rows}]) => events > 0 && rows > 0);
    if (known.length === 0 || nowMs - this.#askedMs < ESTIMATE_MS) {
      return;
    }
    this.#askedMs = nowMs;
    this.#bytes = new Map(await Promise.all(known.map(async ([name, {events, rows}]) => {
      const parameters = new URLSearchParams({events_per_second: events, rows_per_second: rows});
      return [name, (await ask(`/v1/console/views/${encodeURIComponent(name)}/footprint?${parameters}`)).state_bytes];
    })));
  }
}

/** What the jobs of this process have done for each view and each ingest. */
class ProgressView {
  #meters = new Meters();
  estimates = new Estimates();
  rates = new Map();
  /** The rates of views that the server has measured over time, by name. */
  now = new Map();

  constructor() {
    const computed = table('Views that the job computes', 'cards', [
      ['View'], ['Events/s', 'n'], ['Events', 'n'], ['Bad and late', 'n'], ['Rows/s', 'n'], ['Rows', 'n'], ['Behind', 'n'],
      ['State, estimated', 'n'],
    ]);
    const loaded = table('Views whose rows the job loads', 'cards', [
      ['View'], ['Rows/s', 'n'], ['Rows in the store', 'n'], ['In flight', 'n'], ['Retries', 'n'], ['Dead letters', 'n'], ['Behind or done', 'n'],
    ]);
    this.computed = {...computed, rows: new Keyed(computed.body, (view) => this.row(view,
      ['events/s', 'events', 'bad and late', 'rows/s', 'rows', 'behind', 'state'], (...all) => this.computedFigures(...all)))};
    this.loaded = {...loaded, rows: new Keyed(loaded.body, (view) => this.row(view,
      ['rows/s', 'rows', 'in flight', 'retries', 'dead letters', 'behind or done'], (...all) => this.loadedFigures(...all)))};
    const ingested = table('Ingests', 'cards', [
      ['Ingest'], ['Events/s', 'n'], ['Events', 'n'], ['Filtered', 'n'], ['Bad', 'n'], ['Kept', 'n'], ['Rows written', 'n'],
      ['MB/s in', 'n'], ['Behind', 'n'],
    ]);
    this.ingested = {...ingested, rows: new Keyed(ingested.body, (ingest) => this.line(ingest.name,
      ['events/s', 'events', 'filtered', 'bad', 'kept', 'written', 'MB/s in', 'behind'], (...all) => this.ingestedFigures(...all)))};
    this.node = make('section', {class: 'card', 'aria-labelledby': 'jobs-progress'}, make('h2', {id: 'jobs-progress'}, 'Progress'),
      computed.node, loaded.node, ingested.node);
  }

  row(view, labels, figures) {
    const link = hasPage('views') ? make('a', {href: `#/views/${encodeURIComponent(view.name)}`}, view.name) : view.name;
    return this.line(link, labels, figures);
  }

  line(name, labels, figures) {
    const node = make('tr');
    cell(node, '', 'name', 'th').append(name);
    const cells = labels.map((label) => cell(node, label));
    return {node, show: (now) => figures(now).forEach((value, n) => text(cells[n], value))};
  }

  show(views, ingests, nowMs) {
    const counted = views.map((view) => ({...view, counts: new Measured(view.series), nowMs}));
    this.ingested.node.hidden = ingests.length === 0;
    this.ingested.rows.show(ingests.map((ingest) => ({...ingest, counts: new Measured(ingest.series), nowMs})), (ingest) => ingest.name);
    for (const [part, name] of [[this.computed, 'thalweg_events_total'], [this.loaded, 'thalweg_loaded_rows_total']]) {
      const some = counted.filter((view) => view.counts.all(name).length > 0);
      part.node.hidden = some.length === 0;
      part.rows.show(some, (view) => view.name);
    }
    this.node.hidden = [this.computed, this.loaded, this.ingested].every(({node}) => node.hidden);
  }

  /** The account: events are those that are filtered, bad or kept. */
  ingestedFigures({name, counts, nowMs}) {
    const by = (outcome) => counts.value('thalweg_ingest_events_total', {outcome});
    const events = by('filtered') + by('bad') + by('kept');
    const bytesIn = counts.value('thalweg_ingest_bytes_total', {direction: 'in'});
    const rate = this.#meters.add(`${name} in`, bytesIn, nowMs);
    const [records, lag] = [counts.value('thalweg_ingest_lag_records'), counts.value('thalweg_ingest_lag_seconds')];
    return [number(this.#meters.add(`${name} events`, events, nowMs)), count(events), count(by('filtered')), count(by('bad')),
      count(by('kept')), count(by('written')), number(rate === null ? null : rate / 1e6),
      records === null ? seconds(lag) : `${count(records)} records`];
  }

  computedFigures({name, counts, nowMs}) {
    const events = counts.sum('thalweg_events_total');
    const bad = counts.value('thalweg_events_total', {outcome: 'bad'}) + counts.value('thalweg_events_total', {outcome: 'late'});
    const rows = counts.value('thalweg_rows_total');
    const rates = this.now.get(name) ?? {};
    // A window is of event time, which a demo or a job that catches up passes faster than the clock.
    const pace = this.#meters.add(`${name} time`, counts.value('thalweg_watermark_timestamp_seconds'), nowMs) || 1;
    this.rates.set(name, {events: (rates.events ?? 0) / pace, rows: (rates.rows ?? 0) / pace});
    const state = this.estimates.of(name);
    return [number(rates.events), count(events), count(bad), number(rates.rows), count(rows),
      seconds(counts.value('thalweg_watermark_lag_seconds')), state === null ? '–' : bytes(state)];
  }

  loadedFigures({name, counts}) {
    const rows = counts.value('thalweg_loaded_rows_total');
    const left = counts.value('thalweg_load_left_bytes'); // of a table, which ends; a topic does not
    return [number(this.now.get(name)?.rows), count(rows), count(counts.value('thalweg_load_in_flight')),
      count(counts.value('thalweg_load_retries_total')), count(counts.sum('thalweg_load_dead_letters_total')),
      left === null ? seconds(counts.value('thalweg_watermark_lag_seconds'))
        : `${percent(1 - left / Math.max(1, counts.value('thalweg_load_table_bytes')))} done`];
  }
}

const trouble = make('p', {class: 'verdict bad card', role: 'alert', hidden: ''});
const list = make('div');
const jobs = new Keyed(list, (job) => new JobView(job));
const progress = new ProgressView();
const empty = make('p', {class: 'card', hidden: ''}, 'No job runs in this process or on the cluster of flink.rest. When one does (demo, run, publish, ingest), its stages '
  + 'appear here with the time that each spends, its checkpoints, and what holds it up. This page checks every second.');
progress.node.hidden = true;
page.append(make('h1', {tabindex: '-1'}, 'Jobs'), trouble, list, progress.node, empty);

async function look() {
  const state = await ask('/v1/console/jobs');
  trouble.hidden = state.trouble === null;
  text(trouble, state.trouble ?? '');
  const nowMs = performance.now();
  if (hasPage('views')) {
    progress.now = new Map((await ask('/v1/console/views')).views.map(({name, rates}) => [name, rates]));
  }
  progress.show(state.views, state.ingests, nowMs);
  await progress.estimates.look(progress.rates, nowMs);
  // The views are those of this process; which of several jobs computes one is not known.
  const estimated = state.jobs.length === 1 ? progress.estimates.sum() : null;
  jobs.show(state.jobs.map((job) => ({...job, estimated})), (job) => job.id);
  empty.hidden = state.jobs.length > 0 || state.trouble !== null;
}

const poll = new Poll(look, LOOK_MS);

/** Shows the page. */
export function show() {
  poll.start();
}

/** Stops reading. */
export function hide() {
  poll.stop();
}
