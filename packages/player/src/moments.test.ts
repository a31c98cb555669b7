import type { eventWithTime } from 'rrweb';
import { expect, test } from 'vitest';
import { createMoments } from './moments.js';

const START = 1_000_000;
const line = (ms: number, type: number, data: object, windowId = 'w') => ({
  windowId,
  event: { type, timestamp: START + ms, data } as eventWithTime,
});
const text = (id: number, textContent: string) => ({ type: 3, id, textContent });
const node = (id: number, tagName: string, attributes: object, ...childNodes: object[]) => ({
  type: 2,
  id,
  tagName,
  attributes,
  childNodes,
});
const snapshot = (...body: object[]) => line(0, 2, { node: node(1, 'body', {}, ...body), initialOffset: { top: 0, left: 0 } });
const click = (ms: number, id: number, x = 5, type = 2) => line(ms, 3, { source: 2, type, id, x, y: 5 });
const type = (ms: number, id: number) => line(ms, 3, { source: 5, id, text: '*', isChecked: false });

function listed(...lines: ReturnType<typeof line>[]) {
  const moments = createMoments();
  for (const one of lines) moments.add(one);
  return moments.list().map(({ kind, title, detail, at }) => [at - START, kind, title, detail]);
}

test('a click has the text of its element at that time, or what else names it, and no stars', () => {
  const page = snapshot(
    node(2, 'button', {}, node(3, 'b', {}, text(4, 'Pay')), text(5, ' now')),
    node(6, 'img', { alt: 'Logo' }),
    node(7, 'p', {}, text(8, '*** ****')),
  );
  const changed = line(20, 3, {
    source: 0,
    texts: [{ id: 5, value: ' later' }],
    attributes: [],
    removes: [{ parentId: 2, id: 3 }],
    adds: [{ parentId: 2, nextId: null, node: text(9, ' then') }],
  });
  expect(
    listed(page, click(10, 2), click(15, 6, 400), click(16, 7, 800), changed, click(30, 2, 1200), click(40, 99, 1600, 9)),
  ).toEqual([
    [10, 'click', 'Clicked', '“Pay now”'],
    [15, 'click', 'Clicked', '“Logo”'],
    [16, 'click', 'Clicked', ''],
    [30, 'click', 'Clicked', '“later then”'],
    [40, 'click', 'Clicked', ''],
  ]);
});

test('three quick clicks on a place are a rage click; two, slow ones and far ones are not', () => {
  const quick = [0, 300, 1_200].map((ms) => click(ms, 1));
  const slow = [10_000, 11_500, 13_000].map((ms) => click(ms, 1));
  const far = [20_000, 20_100, 20_200].map((ms, index) => click(ms, 1, index * 100));
  const kinds = listed(...quick, ...slow, ...far).map(([at, kind, title]) => [at, kind, title]);
  expect(kinds[0]).toEqual([0, 'rage', 'Clicked 3 times fast']);
  expect(kinds.slice(1).map(([, kind]) => kind)).toEqual(Array(6).fill('click'));
});

test('keys in one field are one entry until a pause', () => {
  const page = snapshot(node(2, 'input', { placeholder: 'Name', value: '**' }), node(3, 'input', { name: 'city' }));
  expect(listed(page, type(10, 2), type(900, 2), type(1_000, 3), type(1_100, 3), type(20_000, 3))).toEqual([
    [10, 'typed', 'Typed', 'Name'],
    [1_000, 'typed', 'Typed', 'city'],
    [20_000, 'typed', 'Typed', 'city'],
  ]);
});

test('an address that changes without loading is a page; a repeated one is not', () => {
  const meta = (ms: number, path: string) => line(ms, 4, { href: `https://a.example${path}`, width: 1, height: 1 });
  const changed = (ms: number, tag: string, path: string) => line(ms, 5, { tag, payload: { href: `https://a.example${path}` } });
  const pages = [
    meta(0, '/a'),
    changed(10, '$pageview', '/a'),
    changed(20, '$url_changed', '/b?x=1'),
    meta(30, '/b'),
    meta(40, '/a'),
  ];
  expect(listed(...pages, changed(50, 'other', '/c')).map(([at, , , detail]) => [at, detail])).toEqual([
    [0, '/a'],
    [20, '/b'],
    [40, '/a'],
  ]);
});

test('lines that are added again are listed once, in order', () => {
  const moments = createMoments();
  const lines = [line(0, 4, { href: 'https://a.example/x?y=1', width: 1, height: 1 }), click(500, 1)];
  for (const one of [...lines.toReversed(), ...lines]) moments.add(one);
  expect(moments.list().map(({ title, detail }) => [title, detail])).toEqual([
    ['Page view', '/x'],
    ['Clicked', ''],
  ]);
  expect(moments.inputs()).toEqual([START + 500]);
});
