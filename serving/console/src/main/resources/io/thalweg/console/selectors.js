// The selectors above the map: the view, and a value for each of its other entities.

import {at, named} from './api.js';
import {redraw} from './board.js';
import {drawGrid, pressFeature, showDetails} from './panel.js';
import {announce, nothing, others, shown, state, writeAddress} from './state.js';
import {stop} from './time.js';

/** Offers the views of the server and chooses one. */
export function offerViews() {
  const {views} = shown;
  at('#view').replaceChildren(...views.map((each) => new Option(each.name, each.name)));
  chooseView(views.some((each) => each.name === state.view) ? state.view : views[0].name);
}

export function chooseView(name) {
  shown.view = shown.views.find((each) => each.name === name);
  state.view = name;
  at('#view').value = name;
  const names = shown.view.features.map((feature) => feature.name);
  if (!names.includes(state.feature)) {
    state.feature = names.includes('k5_8m') ? 'k5_8m' : names[0];
  }
  shown.places = {groups: [], tiles: []};
  offerDivisors();
  drawGrid();
  drawEntities();
  forget();
}

/** Offers the views that have the same keys, features and history, to divide by. */
function offerDivisors() {
  const of = (view) => JSON.stringify([view.entities, view.features, view.history]);
  const like = shown.views.filter((each) => each !== shown.view && of(each) === of(shown.view)).map((each) => each.name);
  if (!like.includes(state.per)) {
    state.per = null;
  }
  at('#per').replaceChildren(new Option('nothing', ''), ...like.map((name) => new Option(name, name)));
  at('#per').value = state.per ?? '';
  at('#per').parentElement.hidden = like.length === 0;
}

/** Divides by another view; null for none. */
export function divideBy(name) {
  state.per = name;
  offerDivisors();
  forget();
}

/** Forgets the shown values, because a view or an entity has changed. The next look finds the window ends that can be shown. */
function forget() {
  stop();
  shown.span = null;
  shown.answer = nothing();
  shown.details = null;
  showDetails();
  redraw();
  announce('values');
}

/** Takes over where the view has rows. */
export function takePlaces(places) {
  const before = JSON.stringify(shown.places.groups.map((group) => group.entities));
  shown.places = places;
  pressFeature();
  places.groups.sort((one, other) => other.tiles - one.tiles || (one.last_end < other.last_end ? 1 : -1));
  const known = places.groups.map((group) => group.entities);
  const same = (group) => others().every(({name}) => String(group[name]) === String(state.entities[name]));
  if (known.length > 0 && !known.some(same)) {
    state.entities = {...state.entities, ...known[0]};
  }
  if (before !== JSON.stringify(known)) {
    drawEntities();
  }
}

/** A list box for each entity, or a field where the store does not know the groups. */
function drawEntities() {
  at('#entities').replaceChildren(...others().map(({name}) => {
    const label = document.createElement('label');
    const values = [...new Set(shown.places.groups.map((group) => String(group.entities[name])))].sort();
    const choice = document.createElement(values.length > 0 ? 'select' : 'input');
    choice.id = `entity-${name}`;
    if (values.length > 0) {
      choice.append(...values.map((value) => new Option(named(name, value), value)));
    } else {
      choice.placeholder = `a value of ${name}`;
    }
    choice.value = state.entities[name] ?? '';
    choice.addEventListener('change', () => {
      state.entities[name] = choice.value.trim();
      writeAddress();
      forget();
    });
    label.append(`${name} `, choice);
    return label;
  }));
}

at('#view').addEventListener('change', (event) => {
  chooseView(event.target.value);
  writeAddress();
});
at('#per').addEventListener('change', (event) => {
  divideBy(event.target.value || null);
  writeAddress();
});
at('#opacity').addEventListener('input', (event) => {
  state.opacity = Number(event.target.value);
  writeAddress();
  redraw();
});
at('#most').addEventListener('change', (event) => {
  const value = Number(event.target.value);
  state.most = value > 0 ? value : null;
  event.target.value = state.most ?? '';
  writeAddress();
  redraw();
});
