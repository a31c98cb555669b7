// npm run bench -- client-memory: what a page holds more after 90 simulated minutes of one visit, of which the last 30 count, with everything on and the service away for a part.
import { launchBrowser, startService } from '@tidemark/testkit';
import { type Held, longVisit } from '../../e2e/src/long-visit.js';
import { type Figure, finish, report } from './report.js';

const MINUTES = 90;
const DOWN = [12, 18] as const;
/** By then what is loaded later is there, and what browsers keep of the code that has run. */
const FROM = 60;

const [service, browser] = await Promise.all([startService(), launchBrowser()]);
await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
const ours = await longVisit(browser, service, { minutes: MINUTES, every: 6, down: DOWN });
const without = await longVisit(browser, service, { minutes: MINUTES, every: 6, down: DOWN, withClient: false });
const title = `A visit of ${MINUTES} minutes in ${browser.version()}: ${ours.held.at(-1)?.navigations} navigations, ${ours.uploads} uploads of what was recorded`;
await browser.close();
await service.close();

for (const { minute, heapBytes, nodes, listeners } of ours.held) {
  console.log(`minute ${minute}: ${(heapBytes / 1e6).toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners`);
}
finish(report(title, [...figures('with the library', ours.held, true), ...figures('without', without.held, false)]));

/** Growth within the last 30 minutes, for each navigation. */
function figures(name: string, held: Held[], isOurs: boolean): Figure[] {
  const first = held.find(({ minute }) => minute === FROM);
  const last = held.at(-1);
  if (!first || !last) throw new Error('nothing was measured');
  const navigations = last.navigations - first.navigations;
  const growth = (what: 'heapBytes' | 'nodes' | 'listeners') => (last[what] - first[what]) / navigations;
  return [
    { name: `${name}: heap, for each navigation`, value: growth('heapBytes'), unit: 'bytes', ...(isOurs ? { below: 100 } : {}) },
    { name: `${name}: nodes`, value: growth('nodes'), unit: '', ...(isOurs ? { below: 0.1 } : {}) },
    { name: `${name}: listeners`, value: growth('listeners'), unit: '', ...(isOurs ? { below: 0.1 } : {}) },
  ];
}
