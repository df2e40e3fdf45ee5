// The shell: shows the page that the address names. A page is a section of index.html and a module, which is loaded when the page
// is first shown. The module exports show() and hide(), and address() if the address of the page holds more than its name.

import {at, hasPage, learnPages, say, token} from './api.js';

const PAGES = {
  map: () => import('./map.js'),
  views: () => import('./views.js'),
  keys: () => import('./keys.js'),
  jobs: () => import('./jobs.js'),
  letters: () => import('./letters.js'),
  load: () => import('./load.js'),
};

let shown = null;

/** The page that the address names, else the first that this port has. */
function named() {
  const name = location.hash.match(/^#\/(\w+)/)?.[1];
  return Object.hasOwn(PAGES, name ?? '') && hasPage(name) ? name : Object.keys(PAGES).find(hasPage);
}

/** Shows the tabs of the pages that this port has, and the page. */
async function begin() {
  await learnPages();
  for (const tab of document.querySelectorAll('nav a')) {
    tab.hidden = !hasPage(tab.hash.slice(2));
  }
  await show();
}

async function show() {
  const name = named();
  if (shown?.name === name) {
    shown.page?.address?.();
    return;
  }
  shown?.page?.hide();
  shown = {name};
  for (const section of document.querySelectorAll('main > section')) {
    section.hidden = (section.dataset.page ?? section.id) !== name;
  }
  for (const tab of document.querySelectorAll('nav a')) {
    if (tab.hash === `#/${name}`) {
      tab.setAttribute('aria-current', 'page');
      document.title = `${tab.textContent} · Thalweg`;
    } else {
      tab.removeAttribute('aria-current');
    }
  }
  say('');
  at('#loading').hidden = name === 'map'; // which says itself what it waits for; the others say it at the first look
  const current = shown;
  const page = await PAGES[name]();
  if (shown === current) {
    current.page = page;
    page.show();
  }
}

at('#proof').hidden = !token();
at('#token').value = token();
at('#token').addEventListener('change', (event) => {
  sessionStorage.setItem('token', event.target.value.trim());
  begin();
});
at('.skip').addEventListener('click', (event) => {
  // The address names the page, so this link must not change it.
  event.preventDefault();
  at('main').focus();
});
window.addEventListener('hashchange', show);
begin();
