// @vitest-environment happy-dom
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ChainRules, elementChain } from './element-chain.js';
import { pathTo } from './element-path.js';
import { textOf } from './element-text.js';

beforeEach(() => {
  document.body.innerHTML = '';
});

const element = (selector: string): Element => {
  const found = document.querySelector(selector);
  if (!found) throw new Error(`There is no ${selector}`);
  return found;
};
const chainOf = (selector: string, rules: ChainRules = {}) => elementChain(pathTo(element(selector)), rules);

describe('the chain of elements', () => {
  test('it goes from the element to the body, with sorted attributes and the texts of clickable elements', () => {
    document.body.innerHTML =
      '<main class="b a"><p>Intro</p><button id="buy" title=\'Say "yes"\'>Buy <span>now</span></button></main>';
    expect(chainOf('#buy')).toBe(
      'button:attr__id="buy"attr__title="Say \\"yes\\""attr_id="buy"nth-child="2"nth-of-type="1"text="Buy now";' +
        'main.a.b:attr__class="b a"nth-child="1"nth-of-type="1";body:nth-child="2"nth-of-type="1"',
    );
  });

  test('it leaves shadow trees through their hosts', () => {
    document.body.innerHTML = '<div id="host"></div>';
    const root = element('#host').attachShadow({ mode: 'open' });
    root.innerHTML = '<button>Inside</button>';
    const button = root.querySelector('button');
    expect(button && pathTo(button).map(({ tagName }) => tagName)).toEqual(['BUTTON', 'DIV', 'BODY']);
  });

  test('fields have four attributes, and never their values or texts', () => {
    document.body.innerHTML = `<form><input id="a" name="who" class="big" aria-label="Name" value="Ada" data-value="Ada" placeholder="x">
      <textarea id="b">My diary</textarea><select id="c" data-chosen="secret"><option>One</option></select>
      <div id="d" contenteditable="true" data-x="secret">My <b id="e" data-y="secret">letter</b></div></form>`;
    expect(chainOf('#a')).toMatch(
      /^input\.big:attr__aria-label="Name"attr__class="big"attr__id="a"attr__name="who"attr_id="a"nth-child="1"/,
    );
    for (const id of ['#a', '#b', '#c', '#d', '#e']) expect(chainOf(id)).not.toMatch(/Ada|diary|secret|letter|placeholder/);
  });

  test('texts and attributes that look like card or social security numbers are left out', () => {
    document.body.innerHTML = `<button id="a" title="4111 1111 1111 1111">Pay with 4111-1111-1111-1111</button>
      <button id="b" data-ssn="123-45-6789">123-45-6789</button>
      <button id="c" data-at="1700000000000">Order 1700000000000</button>`;
    expect(chainOf('#a')).not.toContain('4111');
    expect(chainOf('#b')).not.toContain('6789');
    expect(chainOf('#c')).toContain('text="Order 1700000000000"');
  });

  test('elements and attributes that options exclude are left out', () => {
    document.body.innerHTML = '<a id="x" href="/help" title="Help" _ngcontent-abc="">Help</a>';
    expect(chainOf('#x')).toContain('attr__href="/help"');
    expect(chainOf('#x')).not.toContain('ngcontent');
    expect(chainOf('#x', { maskText: true })).not.toContain('text=');
    expect(chainOf('#x', { maskAttributes: true })).not.toContain('attr');
    expect(chainOf('#x', { ignoredAttributes: ['title'] })).not.toContain('title');
  });

  test('it can be parsed again for any attributes', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        document.body.innerHTML = '<button id="x"></button>';
        element('#x').setAttribute('data-it', text);
        const found = /attr__data-it="((?:[^"\\]|\\.)*)"/s.exec(chainOf('#x'))?.[1] ?? '';
        expect(['', text]).toContain(found.replace(/\\(["\\])/g, '$1'));
      }),
    );
  });
});

describe('the text of an element', () => {
  test('it is empty if the name of the element suggests a secret', () => {
    document.body.innerHTML = '<span id="card-number">4</span><span id="passenger">Ada</span><span id="user_password">x</span>';
    expect(textOf(element('#card-number'), 255)).toBe('');
    expect(textOf(element('#user_password'), 255)).toBe('');
    expect(textOf(element('#passenger'), 255)).toBe('Ada');
  });

  test('it is truncated', () => {
    document.body.innerHTML = `<p id="x">${'a '.repeat(300)}</p>`;
    expect(textOf(element('#x'), 255)).toHaveLength(255);
  });
});
