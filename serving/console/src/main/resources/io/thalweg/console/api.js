// What all pages of the console share: the document, the server and the token.

/** The first element of a selector. */
export function at(selector, within = document) {
  return within.querySelector(selector);
}

/** Sets a text only if it differs, so that a screen reader does not repeat it and a selection stays. */
export function text(node, value) {
  if (node.textContent !== value) {
    node.textContent = value;
  }
}

/** Shows a message in the head of the console; an empty one removes it. */
export function say(message) {
  text(at('#message'), message);
}

/** An answer of the server that is an error. */
export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
    this.needsToken = status === 401 || status === 403;
  }
}

/** The token of a server that requires one; the browser keeps it for this tab only. */
export function token() {
  return sessionStorage.getItem('token') ?? '';
}

/** Sends a request with the token, and answers the response if it is not an error. */
export async function request(path, {headers, ...options} = {}) {
  const authorization = token() ? {authorization: `Bearer ${token()}`} : {};
  const answer = await fetch(path, {...options, headers: {...headers, ...authorization}});
  if (!answer.ok) {
    throw new Refused(await reason(answer), answer.status);
  }
  return answer;
}

async function reason(answer) {
  try {
    return (await answer.json()).error.message;
  } catch {
    return `the server answered ${answer.status}`;
  }
}

/** Sends a request and answers its JSON. */
export async function ask(path, options) {
  return (await request(path, options)).json();
}

/** Posts JSON and answers JSON. */
export function post(path, body, options) {
  return ask(path, {method: 'POST', body: JSON.stringify(body), ...options, headers: json(options?.headers)});
}

/** The names of the pages that this port has answers for, null while that is not known; of values of entities; and of the clock. */
let pages = null;
let labels = {};
let clock = 'UTC';

/** Learns which pages there are. A port that does not say has all. */
export async function learnPages() {
  try {
    ({pages, labels = {}, clock = 'UTC'} = await ask('/v1/console/pages'));
  } catch {
    pages = null;
  }
  return pages;
}

/** A value of an entity for people: its name in server.labels, if it has one. */
export function named(entity, value) {
  return labels[entity]?.[value] ?? String(value);
}

/** A moment in full: its date and its time on the clock of the events. */
export function when(iso) {
  return iso ? `${iso.slice(0, 10)} ${iso.slice(11, 19)} ${clock}` : '–';
}

/** The name of the clock of the events. */
export function clockName() {
  return clock;
}

/** Whether this port has answers for a page. */
export function hasPage(name) {
  return pages === null || pages.includes(name);
}

/** Headers of a request whose body is JSON. */
export function json(more) {
  return {'content-type': 'application/json', ...more};
}

/**
 * Calls a page's `look` again and again while the page is shown and the tab is visible. Failures are reported in the head of
 * the console and end when a call succeeds.
 */
export class Poll {
  #look;
  #pauseMs;
  #timer = null;
  #shown = false;
  #failed = false;
  #looking = false;
  #soon = false;

  constructor(look, pauseMs) {
    this.#look = look;
    this.#pauseMs = pauseMs;
  }

  start() {
    this.#shown = true;
    if (this.#timer === null) {
      this.#next(0);
    }
  }

  stop() {
    this.#shown = false;
  }

  /** Looks at once, or again at once after a look that is under way. */
  soon() {
    this.#soon = true;
    if (this.#shown && !this.#looking) {
      clearTimeout(this.#timer);
      this.#next(0);
    }
  }

  #next(pauseMs) {
    this.#timer = setTimeout(async () => {
      this.#looking = true;
      this.#soon = false;
      if (!document.hidden) {
        await this.#lookOnce();
      }
      this.#looking = false;
      this.#timer = null;
      if (this.#shown) {
        this.#next(this.#soon ? 0 : this.#pauseMs);
      }
    }, pauseMs);
  }

  async #lookOnce() {
    try {
      await this.#look();
      at('#loading').hidden = true;
      if (this.#failed) {
        say('');
      }
      this.#failed = false;
    } catch (e) {
      this.#failed = true;
      if (e.needsToken) {
        at('#proof').hidden = false;
        say(`Enter the token of an operator: ${e.message}`);
      } else if (e.status === 503) {
        say(`Not read: ${e.message}. The console tries again.`);
      } else {
        say(`The server does not answer: ${e.message}. The console keeps trying.`);
      }
    }
  }
}
