import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { putMerges } from '../../../testing/histories.js';
import { comparePoints } from '../../../testing/points/compare-points.js';
import { KINDS } from '../../../testing/points/kinds.js';
import { trends } from '../../../testing/points/trends.js';

/* The people behind a point are as many as the point says, whatever is counted; `npm run bench -- points` compares more of them. */

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

test('each point of trends lists its persons', async () => {
  expect(await comparePoints(events, trends, { runs: 8, seed: 19 })).toBeGreaterThan(120);
});

test.each(Object.entries(KINDS))('each point of %s lists its persons', async (_, kind) => {
  expect(await comparePoints(events, kind, { runs: 4, seed: 19 })).toBeGreaterThan(60);
});
