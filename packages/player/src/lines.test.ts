import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readLines } from './lines.js';

const packed = (value: unknown) => gzipSync(JSON.stringify(value)).toString('latin1');
const text = (...events: unknown[]) => events.map((event) => `${JSON.stringify(['w', event])}\n`).join('');

test('events are sorted by time and have their window', async () => {
  const late = { type: 3, timestamp: 2_000, data: { source: 2 } };
  const early = { type: 4, timestamp: 1_000, data: { href: 'https://a.example/', width: 1, height: 1 } };
  expect(await readLines(text(late, early))).toEqual([
    { windowId: 'w', event: early },
    { windowId: 'w', event: late },
  ]);
  expect(await readLines('')).toEqual([]);
});

test('snapshots that posthog-js compressed are unpacked, full and incremental ones', async () => {
  const node = { type: 0, childNodes: [], id: 1, note: 'Grüße 🎉' };
  const adds = [{ parentId: 1, nextId: null, node: { type: 3, textContent: 'ü', id: 2 } }];
  const lines = await readLines(
    text(
      { type: 2, timestamp: 1, cv: '2024-10', data: packed({ node }) },
      { type: 3, timestamp: 2, cv: '2024-10', data: { source: 0, adds: packed(adds), texts: packed([]), removes: [] } },
    ),
  );
  expect(lines.map(({ event }) => event.data)).toEqual([{ node }, { source: 0, adds, texts: [], removes: [] }]);
});

test.each([
  ['no JSON', '{'],
  ['no pair', '"w"'],
  ['no window', JSON.stringify([1, { type: 3, timestamp: 1, data: { source: 0 } }])],
  ['no event', JSON.stringify(['w', null])],
  ['no time', text({ type: 3, timestamp: 'now', data: { source: 0 } })],
  ['no data', text({ type: 3, timestamp: 1 })],
  ['a picture of nothing', text({ type: 2, timestamp: 1, data: { wireframes: 'none' } })],
  ['a change of nothing known', text({ type: 3, timestamp: 1, data: {} })],
  ['a page without a size', text({ type: 4, timestamp: 1, data: { href: 'https://a.example/' } })],
  ['what cannot be unpacked', text({ type: 2, timestamp: 1, cv: '2024-10', data: 'no gzip' })],
])('%s is skipped, and the rest is parsed', async (_what, line) => {
  const good = { type: 3, timestamp: 5, data: { source: 1 } };
  expect(await readLines(`${line}\n${text(good)}`)).toEqual([{ windowId: 'w', event: good }]);
});
