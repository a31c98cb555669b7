import { expect, test } from 'vitest';
import { isDate, resolveDate, resolveInstant } from './dates.js';
import { createZone } from './zone.js';

/** 11:30 in Berlin. */
const MOMENT = { now: Date.UTC(2026, 4, 20, 9, 30), zone: createZone('Europe/Berlin') };
const MIDNIGHT = Date.UTC(2026, 4, 19, 22);
const DAY = 86_400_000;

test.each([
  ['now', { instant: MOMENT.now, end: null }],
  ['today', { instant: MIDNIGHT, end: MIDNIGHT + DAY }],
  [' Today ', { instant: MIDNIGHT, end: MIDNIGHT + DAY }],
  ['yesterday', { instant: MIDNIGHT - DAY, end: MIDNIGHT }],
  ['-0d', { instant: MIDNIGHT, end: MIDNIGHT + DAY }],
  ['2026-5-20', { instant: MIDNIGHT, end: MIDNIGHT + DAY }],
  ['2026-5-3', { instant: Date.UTC(2026, 4, 2, 22), end: Date.UTC(2026, 4, 3, 22) }],
  ['2026-5-20T10:00', { instant: Date.UTC(2026, 4, 20, 8), end: null }],
  ['2026-2-31', null],
  ['2026-13-1', null],
  ['2026-0-1', null],
  ['tomorrow', null],
])('the date "%s" is parsed', (text, expected) => {
  expect(resolveDate(text, MOMENT)).toEqual(expected);
  expect(isDate(text)).toBe(expected !== null);
});

test('now is the current instant, and today and yesterday are their midnights', () => {
  expect(['now', 'today', 'yesterday'].map((text) => resolveInstant(text, MOMENT))).toEqual([
    MOMENT.now,
    MIDNIGHT,
    MIDNIGHT - DAY,
  ]);
});
