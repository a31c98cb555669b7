import type { Insight } from '@tidemark/charts';
import { expect, test } from 'vitest';
import { createZone } from '../../analytics/index.js';
import type { PublicDashboard } from './dashboard-loader.js';
import { snapshotOf } from './dashboard-png.js';
import { displayOptionsOf } from './store.js';

const zone = createZone('Europe/Copenhagen');
const WEEK = '17 Nov to 24 Nov 2026';
const tile = (insight: Insight, more: object = {}) => ({
  title: 'Signed up',
  description: 'Without tests',
  days: WEEK,
  color: 'green',
  place: null,
  content: { kind: 'insight' as const, insight, computedAt: '2026-11-23T23:30:00.000Z' },
  ...more,
});
const rows: Insight = { kind: 'rows', columns: ['last_seen'], rows: [['x']] };
const board: PublicDashboard = {
  title: 'Growth',
  description: 'For Monday',
  tiles: [tile(rows), tile(rows, { days: '24 Nov 2026' }), tile(rows)],
};

test('a public picture has the accents, descriptions, words and dates of its page, and says how old its numbers are', () => {
  const { note, caption, tiles } = snapshotOf(board, displayOptionsOf({}), zone);
  expect(note).toBe('For Monday');
  expect(caption).toMatchObject({ project: 'Tidemark', range: WEEK, made: '24 Nov 2026, 00:30, Copenhagen time' });
  expect(tiles.map((one) => one.note)).toEqual(['', '24 Nov 2026', '']);
  expect(tiles[0]).toMatchObject({
    color: 'green',
    description: 'Without tests',
    content: { insight: { columns: ['Last seen'] } },
  });
});

test('a public picture shows no mark, no dates and no descriptions where the page shows none', () => {
  expect(snapshotOf(board, displayOptionsOf({ whitelabel: true }), zone).caption?.project).toBeNull();
  const { note, caption, tiles } = snapshotOf(board, displayOptionsOf({ hideExtraDetails: true }), zone);
  expect([note, caption]).toEqual(['', undefined]);
  expect(tiles.map((one) => [one.note, one.description])).toEqual(Array(3).fill(['', '']));
});

test('without a head, each tile of a public picture has its own dates', () => {
  const { caption, tiles } = snapshotOf(board, displayOptionsOf({ noHeader: true }), zone);
  expect([caption?.range, tiles.map((one) => one.note)]).toEqual(['', [WEEK, '24 Nov 2026', WEEK]]);
});
