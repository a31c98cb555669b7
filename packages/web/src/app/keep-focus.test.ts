// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepFocus } from './keep-focus.js';

let stop = () => {};
beforeEach(() => {
  // nothing is laid out here: what is not in a hidden part counts as drawn
  vi.spyOn(Element.prototype, 'getClientRects').mockImplementation(function (this: Element) {
    return (this.closest('[hidden]') ? [] : [new DOMRect(0, 0, 1, 1)]) as unknown as DOMRectList;
  });
  stop = keepFocus();
});
afterEach(() => {
  stop();
  document.body.innerHTML = '';
  vi.restoreAllMocks();
});

const show = (html: string) => {
  document.body.innerHTML = html;
};
const thing = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`There is no ${id}.`);
  return found;
};
const focus = (id: string) => thing(id).focus();
const focused = () => document.activeElement?.id ?? '';
/** Until all that follows a change of the page is done: it waits for two frames. */
const settled = async () => {
  for (let frames = 0; frames < 4; frames++) await new Promise((resolve) => requestAnimationFrame(resolve));
};
const expectFocus = async (id: string) => {
  await settled();
  expect(focused()).toBe(id);
};

const LIST = `<main id="main"><h1 id="title">Flags</h1><ul id="list">
  <li id="row-a"><button id="a">A</button></li><li id="row-b"><button id="b">B</button></li><li id="row-c"><button id="c">C</button></li>
</ul><a id="after" href="/">After</a></main>`;

test('the focus moves to the next row when its own is removed, then to the one before, then to the name of the screen', async () => {
  show(LIST);
  focus('b');
  thing('row-b').remove();
  await expectFocus('c');
  thing('row-c').remove();
  await expectFocus('a');
  thing('row-a').remove();
  await expectFocus('title');
});

test('the focus moves on from what is disabled', async () => {
  show('<main><button id="save">Save</button><button id="next">Next</button></main>');
  focus('save');
  // browsers take the focus from what is disabled
  thing('save').blur();
  (thing('save') as HTMLButtonElement).disabled = true;
  await expectFocus('next');
});

test('it skips what is disabled, not drawn, inert or hidden from screen readers', async () => {
  show(`<main><div><button id="gone">Gone</button><button disabled id="off">Off</button><span hidden><button id="not-drawn">x</button></span>
    <div inert><button id="inert">x</button></div><div aria-hidden="true"><button id="silent">x</button></div>
    <input type="hidden" id="token"><button id="seen">Seen</button></div></main>`);
  focus('gone');
  thing('gone').remove();
  await expectFocus('seen');
});

test('on a new screen the focus is on its name, as soon as it has one', async () => {
  window.history.pushState(null, '', '/p/1/flags');
  show(LIST);
  focus('b');
  window.history.pushState(null, '', '/p/1/flags/7');
  show('<main><p>Loading</p></main>');
  await settled();
  expect(document.activeElement).toBe(document.body);
  show('<main><h1 id="name">new-checkout</h1><button id="edit">Edit</button></main>');
  await expectFocus('name');
  expect(thing('name').tabIndex).toBe(-1);
});

test('what covered the screen gives the focus back to where the person was', async () => {
  show(`${LIST}<div role="dialog" id="dialog"><button id="close">Close</button></div>`);
  focus('c');
  focus('close');
  thing('dialog').remove();
  await expectFocus('c');
});

test('it leaves the focus alone where somebody else has moved it, and once it has ended', async () => {
  show(LIST);
  focus('b');
  thing('row-b').remove();
  focus('after');
  await expectFocus('after');
  focus('c');
  stop();
  thing('row-c').remove();
  await settled();
  expect(document.activeElement).toBe(document.body);
});
