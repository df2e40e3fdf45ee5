// The open window of the chosen hexagon: what the running job has counted so far.

import {at, post, text, when} from './api.js';
import {number} from './chart.js';
import {key, shown, state} from './state.js';

/** Reads and shows the live value beside the stored ones; hides it where there is none. */
export async function loadLive() {
  const feature = shown.places.live;
  const {cell} = state;
  at('#live').hidden = !feature || !cell || state.end !== null;
  if (at('#live').hidden) {
    return;
  }
  let row = null;
  try {
    const body = {entities: [key()], features: [feature], read_from: 'LIVE'};
    row = (await post(`/v1/views/${encodeURIComponent(state.view)}:read`, body)).rows[0];
  } catch (e) {
    if (!e.status) {
      throw e;
    }
  }
  if (state.cell === cell) {
    text(at('#live-name'), `Live ${feature}`);
    text(at('#live-value'), shownAs(row));
  }
}

function shownAs(row) {
  if (row === null) {
    return 'the job does not answer';
  }
  return row.window_end === null ? '–' : `${number(row.values[0])}, open until ${when(row.window_end).slice(11)}`;
}
