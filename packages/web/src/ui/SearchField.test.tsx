// @vitest-environment happy-dom
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, expect, test } from 'vitest';
import { SearchField } from './SearchField.js';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

let root: Root | null = null;
const draw = (content: ReactNode) => {
  root ??= createRoot(document.body.appendChild(document.createElement('div')));
  act(() => root?.render(content));
};
afterEach(() => {
  act(() => root?.unmount());
  root = null;
  document.body.innerHTML = '';
});

/** A field whose text comes back when the test says so, as through the address. */
function field(before = '') {
  const sent: string[] = [];
  const show = (value: string) => draw(<SearchField label="Search flags" value={value} onChange={(text) => sent.push(text)} />);
  show(before);
  const input = document.querySelector('input');
  if (!input) throw new Error('There is no input.');
  const type = (text: string) =>
    act(() => {
      // React notices values that are set the way of the browser
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
  return { input, sent, show, type };
}

test('typed text stays while older texts are passed as the value', () => {
  const { input, sent, show, type } = field();
  for (const text of ['c', 'ch', 'che']) type(text);
  expect(sent).toEqual(['c', 'ch', 'che']);
  for (const late of ['c', 'ch', 'che']) {
    show(late);
    expect([late, input.value]).toEqual([late, 'che']);
  }
  // some of them may be left out
  type('chec');
  type('check');
  show('check');
  expect(input.value).toBe('check');
});

test('a text that was not typed here replaces what was: Back, and a button that shows all', () => {
  const { input, show, type } = field('old');
  expect(input.value).toBe('old');
  type('older');
  show('older');
  show('old');
  expect(input.value).toBe('old');
  show('');
  expect(input.value).toBe('');
  // also a text that was typed once, and came back already
  type('new');
  show('new');
  show('');
  show('new');
  expect(input.value).toBe('new');
});

test('the cross and Escape empty it', async () => {
  const { input, sent, show, type } = field();
  type('checkout');
  show('checkout');
  act(() => document.querySelector('button')?.click());
  expect([input.value, sent.at(-1)]).toEqual(['', '']);
  show('');
  type('price');
  act(() => void input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })));
  expect([input.value, sent.at(-1)]).toEqual(['', '']);
});

test('it has a name, and the key / finds it', () => {
  const { input } = field();
  expect(input.getAttribute('aria-label')).toBe('Search flags');
  expect(input.placeholder).toBe('Search flags');
  expect(document.querySelector('[data-search]')).toBe(input);
});
