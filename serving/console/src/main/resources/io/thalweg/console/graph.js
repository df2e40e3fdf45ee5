// The graph of a job: a box for each stage, in layers, and a line from each stage to those that it sends to. Layers go from left to
// right, on a narrow screen from top to bottom.

import {number, svgElement} from './chart.js';
import {Strips, make, percent} from './parts.js';
import {text} from './api.js';

const BOX = {width: 224, height: 100};
/** Between layers, and between the boxes of a layer. */
const GAP = {layer: 44, box: 16};
const EDGE = 2;
const narrow = matchMedia('(max-width: 56rem)');

/** Stages in layers: each stage is in the one after the last of its inputs. Stages are in the order of the data. */
function layersOf(stages) {
  const layer = new Map();
  const layers = [];
  for (const stage of stages) {
    const at = Math.max(-1, ...stage.inputs.map((id) => layer.get(id) ?? -1)) + 1;
    layer.set(stage.id, at);
    (layers[at] ??= []).push(stage);
  }
  return layers;
}

/** The position of each box by the id of its stage, and the size of the graph. The boxes of a layer are centred. */
function placesOf(stages, isNarrow) {
  const [along, across] = isNarrow ? [BOX.height, BOX.width] : [BOX.width, BOX.height];
  const layers = layersOf(stages);
  const breadth = Math.max(...layers.map((layer) => layer.length)) * (across + GAP.box) - GAP.box;
  const places = new Map();
  layers.forEach((layer, n) => layer.forEach((stage, m) => {
    const a = n * (along + GAP.layer);
    const b = (breadth - layer.length * (across + GAP.box) + GAP.box) / 2 + m * (across + GAP.box);
    places.set(stage.id, isNarrow ? {x: b, y: a} : {x: a, y: b});
  }));
  const length = layers.length * (along + GAP.layer) - GAP.layer;
  return {places, width: isNarrow ? breadth : length, height: isNarrow ? length : breadth};
}

/** A curve from the edge of one box to the edge of another. */
function pathOf(from, to, isNarrow) {
  if (isNarrow) {
    const [x1, y1, x2, y2] = [from.x + BOX.width / 2, from.y + BOX.height, to.x + BOX.width / 2, to.y - 2 * EDGE];
    return `M${x1},${y1}C${x1},${(y1 + y2) / 2} ${x2},${(y1 + y2) / 2} ${x2},${y2}`;
  }
  const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x - 2 * EDGE, to.y + BOX.height / 2];
  return `M${x1},${y1}C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} ${x2},${y2}`;
}

/** The head of an arrow that ends at a box. */
function headOf({x, y}, isNarrow) {
  const size = 3 * EDGE;
  return isNarrow
    ? `M${x + BOX.width / 2},${y}l${-size},${-1.5 * size}h${2 * size}z`
    : `M${x},${y + BOX.height / 2}l${-1.5 * size},${-size}v${2 * size}z`;
}

class Box {
  #strips = new Strips();

  constructor(stage, {x, y}) {
    this.label = make('b', {title: stage.name});
    this.load = make('span');
    this.body = make('div', {}, this.label, this.load, this.#strips.svg);
    this.node = svgElement('foreignObject', {x, y, ...BOX});
    this.node.append(this.body);
  }

  show(stage, load) {
    text(this.label, stage.label);
    text(this.load, `busy ${percent(load.busiest)} · ${number(load.sent)} blocks/s out`);
    this.body.className = `box${stage.isSlowest ? ' culprit' : ''}`;
    this.#strips.show(stage.subtasks, stage.label);
  }
}

/** Shows the stages of one job. A job of one stage has no graph. */
export class Graph {
  #shape = '';
  #boxes = new Map();
  #shown = null;

  constructor() {
    this.svg = svgElement('svg', {role: 'img', class: 'graph'});
    narrow.addEventListener('change', () => this.#shown && this.show(...this.#shown));
  }

  /** `loadOf` gives the busiest subtask of a stage, a share, and what it sends a second; null while they are not measured. */
  show(stages, loadOf) {
    this.#shown = [stages, loadOf];
    const shape = JSON.stringify([narrow.matches, stages.map(({id, inputs}) => [id, inputs])]);
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#lay(stages);
    }
    this.svg.toggleAttribute('hidden', stages.every(({inputs}) => inputs.length === 0));
    const labels = new Map(stages.map(({id, label}) => [id, label]));
    this.svg.setAttribute('aria-label', `Graph of the job: ${stages
      .filter(({inputs}) => inputs.length > 0)
      .map(({label, inputs}) => `${label} receives from ${inputs.map((id) => labels.get(id)).join(' and ')}`).join('; ')}`);
    stages.forEach((stage) => this.#boxes.get(stage.id).show(stage, loadOf(stage)));
  }

  #lay(stages) {
    const isNarrow = narrow.matches;
    const {places, width, height} = placesOf(stages, isNarrow);
    const lines = stages.flatMap((stage) => stage.inputs.filter((id) => places.has(id)).flatMap((id) => {
      const [from, to] = [places.get(id), places.get(stage.id)];
      return [svgElement('path', {class: 'edge', d: pathOf(from, to, isNarrow)}), svgElement('path', {class: 'head', d: headOf(to, isNarrow)})];
    }));
    this.#boxes = new Map(stages.map((stage) => [stage.id, new Box(stage, places.get(stage.id))]));
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.setAttribute('width', width);
    this.svg.setAttribute('height', height);
    this.svg.replaceChildren(...lines, ...[...this.#boxes.values()].map((box) => box.node));
  }
}
