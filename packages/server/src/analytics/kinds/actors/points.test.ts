import { afterAll, beforeAll, expect, test } from 'vitest';
import { onTwoShards } from '../../../testing/cluster-databases.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { putMerges } from '../../../testing/histories.js';
import { comparePoints } from '../../../testing/points/compare-points.js';
import { KINDS } from '../../../testing/points/kinds.js';
import { trends } from '../../../testing/points/trends.js';
import { runs } from '../../../testing/runs.js';

/* The people behind a point are as many as the point says, whatever is counted; `npm run bench -- points` compares more of them. */

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

/** Points at least: fewer histories are compared on two shards. */
const [LEAST_OF_TRENDS, LEAST] = onTwoShards() ? [30, 10] : [60, 50];

test('each point of trends lists its persons', async () => {
  expect(await comparePoints(events, trends, { runs: runs(4).numRuns, seed: 19 })).toBeGreaterThan(LEAST_OF_TRENDS);
});

test.each(Object.entries(KINDS))('each point of %s lists its persons', async (name, kind) => {
  // an answer of paths has few points
  const { numRuns } = runs(name === 'paths' ? 4 : 2);
  expect(await comparePoints(events, kind, { runs: numRuns, seed: 19 })).toBeGreaterThan(LEAST);
});
