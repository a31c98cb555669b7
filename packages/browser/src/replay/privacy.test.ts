// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { BLOCKED } from '../privacy-marks.js';
import { privacy } from './privacy.js';

const field = (html: string): HTMLElement => {
  document.body.innerHTML = html;
  const [element] = document.body.getElementsByTagName('input');
  if (!element) throw new Error('no field');
  return element;
};
const weak = { masking: { maskAllInputs: false, maskTextSelector: '.theirs', blockSelector: '.closed' } };

test('RPP-5 masking options of the page override those of the project', () => {
  const mine = privacy({ maskAllInputs: true, maskTextSelector: '.mine', blockSelector: '.mine' }, weak);
  expect(mine.settings).toMatchObject({ blockSelector: `${BLOCKED},.mine` });
  expect(mine.settings.maskInputFn('Ada', field('<input>'))).toBe('***');
  const theirs = privacy({}, weak);
  expect(theirs.settings).toMatchObject({ blockSelector: `${BLOCKED},.closed` });
  expect(theirs.settings.maskInputFn('Ada', field('<input>'))).toBe('Ada');
  expect(theirs.settings.maskInputFn('Ada', field('<p class="theirs"><input>'))).toBe('***');
});

test.each([
  ['<input type="password">', 'secret'],
  ['<input autocomplete="cc-number">', '1'],
  ['<input autocomplete="CC-Number">', '1'],
  ['<input>', '4242 4242 4242 4242'],
])('RPP-3 no option shows %s', (html, text) => {
  expect(privacy({ maskAllInputs: false }, weak).settings.maskInputFn(text, field(html))).toBe('********');
});
