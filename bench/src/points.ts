// npm run bench -- points [COUNT]: compares so many points (10,000) of random queries of every kind, over random histories, with the
// people behind them.
import { testEvents } from '../../packages/server/src/testing/events.js';
import { putMerges } from '../../packages/server/src/testing/histories.js';
import { comparePoints } from '../../packages/server/src/testing/points/compare-points.js';
import { KINDS } from '../../packages/server/src/testing/points/kinds.js';
import { trends } from '../../packages/server/src/testing/points/trends.js';
import { finish } from './report.js';

const wanted = Number(process.argv[2] ?? 10_000);
const kinds = Object.entries({ trends, ...KINDS });
const events = await testEvents();
await putMerges(events);
let met = true;
for (const [name, kind] of kinds) {
  const { compared, difference } = await compare(kind, wanted / kinds.length);
  console.log(`${name}: ${compared} points, ${difference ?? 'each as many as the people behind it'}`);
  met &&= difference === undefined;
}
await events.close();
finish(met);

/** Uses a new seed per few histories, until enough points are compared or one differs. */
async function compare(kind: (typeof KINDS)[string], enough: number): Promise<{ compared: number; difference?: string }> {
  let compared = 0;
  for (let seed = 1; compared < enough; seed++) {
    try {
      compared += await comparePoints(events, kind, { runs: 5, seed });
    } catch (error) {
      return { compared, difference: `seed ${seed}: ${error instanceof Error ? error.message : error}` };
    }
  }
  return { compared };
}
