// Lines over time as SVG: nothing to load, and they scale with the page.

const SVG = 'http://www.w3.org/2000/svg';

/** How many points a chart keeps: two minutes of one a second. */
export const POINTS = 120;

/** A series that forgets its oldest point. */
export class Series {
  values = [];

  add(value) {
    this.values.push(Number.isFinite(value) ? value : null);
    if (this.values.length > POINTS) {
      this.values.shift();
    }
  }

  last() {
    return this.values.at(-1) ?? null;
  }
}

/** An element of an SVG with attributes. */
export function svgElement(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  return made;
}

/** A chart of lines; each has a class, which gives its colour. The newest point is at the right. */
export class Chart {
  constructor(label, classes, width = 240, height = 72) {
    this.width = width;
    this.height = height;
    this.label = label;
    this.svg = svgElement('svg', {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img'});
    this.svg.append(svgElement('line', {x1: 0, y1: height - 1, x2: width, y2: height - 1, class: 'axis'}));
    this.lines = classes.map((name) => {
      const line = svgElement('polyline', {class: name, points: ''});
      this.svg.append(line);
      return line;
    });
  }

  draw(series) {
    const top = Math.max(1e-9, ...series.flatMap((one) => one.values.map((value) => value ?? 0)));
    series.forEach((one, at) => this.lines[at].setAttribute('points', this.points(one.values, top)));
    const said = series.map((one) => number(one.last())).join(', ');
    this.svg.setAttribute('aria-label', `${this.label}: now ${said}, at most ${number(top)}`);
  }

  points(values, top) {
    const step = this.width / (POINTS - 1);
    const points = [];
    values.forEach((value, at) => {
      if (value !== null) {
        const x = this.width - (values.length - 1 - at) * step;
        const y = this.height - 2 - (value / top) * (this.height - 6);
        points.push(`${x.toFixed(1)},${y.toFixed(1)}`);
      }
    });
    return points.join(' ');
  }
}

/** A small line of the recent past: values from the oldest to the newest, null where there is none. */
export class Sparkline {
  #label;
  #line = svgElement('polyline', {class: 'served', points: ''});

  constructor(label, width = 120, height = 22) {
    this.#label = label;
    this.width = width;
    this.height = height;
    this.svg = svgElement('svg', {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', class: 'sparkline'});
    this.svg.append(svgElement('line', {x1: 0, y1: height - 0.5, x2: width, y2: height - 0.5, class: 'axis'}), this.#line);
  }

  show(values) {
    const known = values.filter((value) => value !== null);
    this.svg.classList.toggle('empty', known.length < 2);
    const top = Math.max(1e-9, ...known);
    const x = (at) => this.width - ((values.length - 1 - at) / POINTS) * this.width;
    const y = (value) => this.height - 1.5 - (value / top) * (this.height - 3);
    this.#line.setAttribute('points', values.map((value, at) => value === null ? '' : `${x(at).toFixed(1)},${y(value).toFixed(1)}`)
      .filter(Boolean).join(' '));
    this.svg.setAttribute('aria-label', `${this.#label} in the last ten minutes: at most ${number(known.length === 0 ? null : top)}`);
  }
}

/** A number for people: three digits that matter; a dash where there is none. */
export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) {
    return '–';
  }
  if (Math.abs(value) < 1e-6) {
    return '0';
  }
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', {maximumFractionDigits: digits});
}
