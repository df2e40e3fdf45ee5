// What the pages of views and jobs are made of: elements, lists that keep their nodes, bars, and numbers for people.

import {text, when} from './api.js';
import {number, svgElement} from './chart.js';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const METER_MS = 60_000;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Makes an element with attributes and children, which are nodes or texts. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Makes a table with the heads of its columns: [text, class]. Its rows go into `body`. */
export function table(label, className, heads) {
  const body = make('tbody');
  const row = make('tr', {}, ...heads.map(([head, kind]) => make('th', {scope: 'col', ...(kind && {class: kind})}, head)));
  return {node: make('table', {class: className, 'aria-label': label}, make('thead', {}, row), body), body};
}

/** Makes a cell. Its label names it where a row becomes a card. */
export function cell(row, label, kind = 'n', tag = 'td') {
  const node = make(tag, {'data-label': label, ...(kind && {class: kind}), ...(tag === 'th' && {scope: 'row'})});
  row.append(node);
  return node;
}

/** Nodes for items, one for each key. A node stays while its item does, so focus and selection stay, too. */
export class Keyed {
  #parent;
  #create;
  #parts = new Map();

  /** `create` makes {node, show(item)} for a key. */
  constructor(parent, create) {
    this.#parent = parent;
    this.#create = create;
  }

  show(items, keyOf) {
    const keys = new Set(items.map(keyOf));
    for (const [key, part] of this.#parts) {
      if (!keys.has(key)) {
        part.node.remove();
        this.#parts.delete(key);
      }
    }
    items.forEach((item, at) => {
      const key = keyOf(item);
      if (!this.#parts.has(key)) {
        this.#parts.set(key, this.#create(item));
      }
      const part = this.#parts.get(key);
      if (this.#parent.children[at] !== part.node) {
        this.#parent.insertBefore(part.node, this.#parent.children[at] ?? null);
      }
      part.show(item);
    });
  }
}

/** Names and values. A value of null removes its line. */
export class Figures {
  #values = new Map();

  constructor() {
    this.node = make('dl', {class: 'figures'});
  }

  show(name, value, note = '') {
    if (!this.#values.has(name)) {
      const parts = {value: make('dd'), note: make('small')};
      parts.node = make('div', {}, make('dt', {}, name), parts.value);
      parts.main = make('span');
      parts.value.append(parts.main, parts.note);
      this.#values.set(name, parts);
      this.node.append(parts.node);
    }
    const parts = this.#values.get(name);
    parts.node.hidden = value === null;
    text(parts.main, value ?? '');
    text(parts.note, note);
  }
}

/** One bar of shares, from left to right; each part has a class, which gives its colour. */
export class Bar {
  constructor(classes) {
    this.svg = svgElement('svg', {viewBox: '0 0 100 1', preserveAspectRatio: 'none', role: 'img', class: 'bar'});
    this.parts = classes.map((name) => svgElement('rect', {class: name, y: 0, height: 1, x: 0, width: 0}));
    this.svg.append(...this.parts);
  }

  show(shares, label) {
    let from = 0;
    shares.forEach((share, at) => {
      this.parts[at].setAttribute('x', from.toFixed(2));
      this.parts[at].setAttribute('width', (100 * share).toFixed(2));
      from += 100 * share;
    });
    this.svg.setAttribute('aria-label', label);
  }
}

/** Thin bars below each other, one for each subtask, so that a skew is visible. */
export class Strips {
  static MOST = 32;

  constructor() {
    this.svg = svgElement('svg', {preserveAspectRatio: 'none', role: 'img', class: 'strips'});
    this.rows = [];
  }

  show(subtasks, label) {
    const shown = subtasks.slice(0, Strips.MOST);
    while (this.rows.length < shown.length) {
      const row = ['rest', 'busy', 'held'].map((name) => svgElement('rect', {class: name, height: 0.8, x: 0}));
      row[0].setAttribute('width', 100);
      this.rows.push(row);
      this.svg.append(...row);
    }
    this.rows.splice(shown.length).flat().forEach((rect) => rect.remove());
    this.svg.setAttribute('viewBox', `0 0 100 ${Math.max(1, shown.length) - 0.2}`);
    shown.forEach(({busy, back_pressured: held}, at) => {
      const [rest, first, second] = this.rows[at];
      [rest, first, second].forEach((rect) => rect.setAttribute('y', at));
      first.setAttribute('width', (100 * (busy ?? 0)).toFixed(1));
      second.setAttribute('x', (100 * (busy ?? 0)).toFixed(1));
      second.setAttribute('width', (100 * (held ?? 0)).toFixed(1));
    });
    this.svg.setAttribute('aria-label', label);
    this.svg.setAttribute('data-rows', String(shown.length));
  }
}

/** Counts of values by size: one column for each bucket. */
export class Histogram {
  constructor() {
    this.svg = svgElement('svg', {viewBox: '0 0 100 30', preserveAspectRatio: 'none', role: 'img', class: 'histogram'});
    this.columns = [];
  }

  show({bounds, counts}, label) {
    while (this.columns.length < counts.length) {
      const column = svgElement('rect', {class: 'busy'});
      this.columns.push(column);
      this.svg.append(column);
    }
    const most = Math.max(1, ...counts);
    const width = 100 / counts.length;
    counts.forEach((count, at) => {
      const height = count === 0 ? 0.4 : Math.max(1, (29 * count) / most);
      const box = {x: at * width + 0.3, width: width - 0.6, y: 30 - height, height};
      Object.entries(box).forEach(([name, value]) => this.columns[at].setAttribute(name, value.toFixed(2)));
    });
    this.svg.setAttribute('aria-label', `${label}: ${counts.map((count, at) => [count, bounds[at]])
      .filter(([count]) => count > 0)
      .map(([count, bound]) => `${number(count)} ${bound === undefined ? 'longer' : `up to ${seconds(bound)}`}`).join(', ')}`);
  }
}

/** The bound below which a share of the values of a histogram is; null without values, infinite beyond the last bound. */
export function within({bounds, counts}, share) {
  const all = counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  const at = counts.findIndex((count) => (below += count) >= share * all);
  return all === 0 ? null : bounds[at] ?? Infinity;
}

/** Such a bound for people. */
export function bound(limit, bounds) {
  return limit === null ? '–' : limit === Infinity ? `> ${seconds(bounds.at(-1))}` : `≤ ${seconds(limit)}`;
}

/** How fast a total grows, a second: over the last minute, because rows come in bursts. */
export class Meter {
  #seen = [];

  add(total, nowMs) {
    if (total === null || total < (this.#seen.at(-1)?.total ?? 0)) {
      this.#seen = []; // it began again
    }
    if (total !== null) {
      this.#seen.push({total, nowMs});
    }
    while (this.#seen.length > 2 && nowMs - this.#seen[0].nowMs > METER_MS) {
      this.#seen.shift();
    }
    const [first, last] = [this.#seen[0], this.#seen.at(-1)];
    return this.#seen.length < 2 ? null : ((last.total - first.total) * 1000) / (last.nowMs - first.nowMs);
  }
}

/** Meters by name. */
export class Meters {
  #all = new Map();

  add(name, total, nowMs) {
    if (!this.#all.has(name)) {
      this.#all.set(name, new Meter());
    }
    return this.#all.get(name).add(total, nowMs);
  }
}

/** The series of a view by name and labels. */
export class Measured {
  constructor(series) {
    this.series = series;
  }

  /** All of a name. */
  all(name) {
    return this.series.filter((one) => one.name === name);
  }

  /** The value of one; null if it is not counted. */
  value(name, labels = {}) {
    const one = this.all(name).find((each) => Object.entries(labels).every(([key, value]) => each.labels[key] === value));
    return one?.value ?? null;
  }

  /** All of a name, added up; null if it is not counted. */
  sum(name) {
    const all = this.all(name);
    return all.length === 0 ? null : all.reduce((sum, one) => sum + one.value, 0);
  }

  /** The distribution of a name; null if it is not measured. */
  distribution(name, labels = {}) {
    return this.all(name).find((one) =>
      one.counts && Object.entries(labels).every(([key, value]) => one.labels[key] === value)) ?? null;
  }
}

/** A name of the server's, such as that of a reason. */
export function inWords(name) {
  return String(name).replaceAll('_', ' ');
}

/** A count in full. */
export function count(value) {
  return value === null || value === undefined ? '–' : value.toLocaleString('en', {maximumFractionDigits: 0});
}

/** A share of 0 to 1. */
export function percent(share) {
  if (share === null || share === undefined || !Number.isFinite(share)) {
    return '–';
  }
  return share > 0 && share < 0.001 ? '< 0.1 %' : `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
}

/** A size. */
export function bytes(value) {
  const unit = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
  return `${number(value / 1000 ** unit)} ${UNITS[unit]}`;
}

/** A duration, in two units at most. */
export function seconds(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) {
    return '–';
  }
  if (value < 1) {
    return `${count(1000 * value)} ms`;
  }
  if (value < MINUTE) {
    return `${value.toFixed(value < 9.95 ? 1 : 0).replace('.0', '')} s`;
  }
  const [unit, name, smaller, smallerName] = value < HOUR ? [MINUTE, 'min', 1, 's']
    : value < DAY ? [HOUR, 'h', MINUTE, 'min'] : [DAY, 'd', HOUR, 'h'];
  const rest = Math.floor((value % unit) / smaller);
  return `${Math.floor(value / unit)} ${name}${rest ? ` ${rest} ${smallerName}` : ''}`;
}

/** A moment: its time, with the date if it is not today's, on the clock of the events. */
export function moment(iso) {
  return iso?.startsWith(new Date().toISOString().slice(0, 10)) ? when(iso).slice(11) : when(iso);
}
