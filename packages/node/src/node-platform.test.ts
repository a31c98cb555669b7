import { expect, test } from 'vitest';
import { nodePlatform } from './node-platform.js';

test('a timer of a month, or of infinity, does not fire at once', async () => {
  const { timers } = nodePlatform();
  const ran: string[] = [];
  const long = [30 * 86_400_000, Number.POSITIVE_INFINITY].map((ms) => timers.set(() => ran.push('long'), ms));
  // Node makes 1 ms of delays that are too long, and runs timers of one delay in the order in which they were set
  await new Promise((resolve) => setTimeout(resolve, 1));
  for (const handle of long) timers.clear(handle);
  expect(ran).toEqual([]);
});
