import { expect, test } from 'vitest';
import { bytesText, ingestText, readsText } from './health-texts.js';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_500, '1.5 KB'],
  [25_020_207_104, '25 GB'],
  [3e18, '3,000 PB'],
])('%d bytes are %s', (bytes, text) => expect(bytesText(bytes)).toBe(text));

test('what waits is counted, with the age of the oldest', () => {
  expect(ingestText({ lag_seconds: 0, waiting_events: 0 })).toBe('No event waits');
  expect(ingestText({ lag_seconds: 0.42, waiting_events: 1 })).toBe('1 event waits, the oldest for 0.4 s');
  expect(ingestText({ lag_seconds: 75.2, waiting_events: 12_345 })).toBe('12,345 events wait, the oldest for 75 s');
});

test('queries that run are counted by who waits for them', () => {
  expect(readsText({ interactive: 0, export: 0, background: 0 })).toBe('None runs or waits');
  expect(readsText({ interactive: 2, export: 0, background: 1 })).toBe('2 at a screen, 1 renewed');
  expect(readsText({ interactive: 0, export: 3, background: 0 })).toBe('3 for exports');
});
