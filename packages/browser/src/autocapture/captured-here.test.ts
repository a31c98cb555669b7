// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { isCapturedHere } from './captured-here.js';
import { pathTo } from './element-path.js';
import { isInteraction, isMarked } from './is-interaction.js';
import { rageClicks } from './rage-clicks.js';

document.body.innerHTML = `<form id="form"><label id="label">Name <b id="b">!</b></label><input id="input"><p id="text">Text</p></form>
  <a href="/" class="nav"><i id="icon"></i></a><div id="plain">Text</div><div style="cursor: pointer" id="pointer">Text</div>
  <section class="tm-no-capture"><button id="hidden">x</button></section>`;
const path = (id: string) => {
  const found = document.getElementById(id);
  return found ? pathTo(found) : [];
};

test.each([
  ['form', 'submit', true],
  ['form', 'click', false],
  ['input', 'click', true],
  ['input', 'change', true],
  ['input', 'submit', false],
  ['icon', 'click', true],
  ['icon', 'change', false],
  ['b', 'click', true],
  ['text', 'click', false],
  ['plain', 'click', false],
  ['pointer', 'click', true],
])('%s on %s: %s', (id, type, captured) => {
  expect(isInteraction(path(id), type)).toBe(captured);
});

test('an ignored ancestor excludes its descendants', () => {
  expect(isMarked(path('hidden'), '.tm-no-capture')).toBe(true);
  expect(isMarked(path('icon'), '.tm-no-capture')).toBe(false);
});

test.each([
  [{ url_allowlist: ['/shop'] }, true],
  [{ url_allowlist: [/\/cart$/] }, false],
  [{ url_ignorelist: ['shop'] }, false],
  [{ element_allowlist: ['a'] }, true],
  [{ element_allowlist: ['button'] }, false],
  [{ css_selector_allowlist: ['.nav'] }, true],
  [{ css_selector_ignorelist: ['.nav > i'] }, false],
])('%o captures an icon inside an allowed link: %s', (options, captured) => {
  expect(isCapturedHere(path('icon'), 'https://example.com/shop', options)).toBe(captured);
});

test('a regular expression with the global flag matches every time', () => {
  const options = { url_allowlist: [/shop/g] };
  for (let i = 0; i < 3; i++) expect(isCapturedHere(path('icon'), 'https://example.com/shop', options)).toBe(true);
});

test('three fast clicks on one spot are a rage click, and so are each three more', () => {
  const isRage = rageClicks();
  const clicks = (list: [number, number][]) => list.map(([x, at]) => isRage(x, 0, at));
  expect(
    clicks([
      [0, 0],
      [5, 300],
      [0, 600],
      [0, 700],
      [0, 800],
      [0, 900],
    ]),
  ).toEqual([false, false, true, false, false, true]);
  expect(
    clicks([
      [0, 5_000],
      [100, 5_100],
      [0, 5_200],
      [0, 9_000],
      [0, 10_500],
    ]),
  ).toEqual([false, false, false, false, false]);
});
