// npm run bench -- client-memory: growth of a page's memory in the last 30 of 90 simulated minutes of one visit,
// with all features on and the service unreachable for some of the time.
import { launchBrowser, startService } from '@tidemark/testkit';
import { longVisit, type MemorySample } from '../../e2e/src/long-visit.js';
import { type Figure, finish, report } from './report.js';

const MINUTES = 90;
const DOWN = [12, 18] as const;
/** Warm-up in minutes: lazy modules are loaded, and the browser's code caches are full. */
const FROM = 60;

const [service, browser] = await Promise.all([startService(), launchBrowser()]);
await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
const withClient = await longVisit(browser, service, { minutes: MINUTES, every: 6, down: DOWN });
const without = await longVisit(browser, service, { minutes: MINUTES, every: 6, down: DOWN, withClient: false });
const title = `A visit of ${MINUTES} minutes in ${browser.version()}: ${withClient.samples.at(-1)?.navigations} navigations, ${withClient.uploads} uploads of recordings`;
await browser.close();
await service.close();

for (const { minute, heapBytes, nodes, listeners } of withClient.samples) {
  console.log(`minute ${minute}: ${(heapBytes / 1e6).toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners`);
}
finish(report(title, [...figures('with the library', withClient.samples, true), ...figures('without', without.samples, false)]));

/** Growth per navigation after the warm-up. */
function figures(name: string, samples: MemorySample[], hasTargets: boolean): Figure[] {
  const first = samples.find(({ minute }) => minute === FROM);
  const last = samples.at(-1);
  if (!first || !last) throw new Error('nothing was measured');
  const navigations = last.navigations - first.navigations;
  const growth = (what: 'heapBytes' | 'nodes' | 'listeners') => (last[what] - first[what]) / navigations;
  return [
    {
      name: `${name}: heap, for each navigation`,
      value: growth('heapBytes'),
      unit: 'bytes',
      ...(hasTargets ? { below: 100 } : {}),
    },
    { name: `${name}: nodes`, value: growth('nodes'), unit: '', ...(hasTargets ? { below: 0.1 } : {}) },
    { name: `${name}: listeners`, value: growth('listeners'), unit: '', ...(hasTargets ? { below: 0.1 } : {}) },
  ];
}
