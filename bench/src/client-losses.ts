// npm run bench -- client-losses: the fate of 2,000 events of pages that are left while the service is unreachable: each kind of failure with
// each way to leave a page, 125 events in five visits.
import { launchBrowser, startService } from '@tidemark/testkit';
import { LEAVINGS, TROUBLES, visit } from '../../e2e/src/lost-events.js';
import { finish, report } from './report.js';

const VISITORS = 4;
const [browser, service] = await Promise.all([launchBrowser({ backForwardCache: true }), startService()]);
const visits = [0, 1, 2, 3, 4].flatMap((round) =>
  TROUBLES.flatMap((trouble) => LEAVINGS.map((leaving) => ({ trouble, leaving, round, events: 25 }))),
);
let captured = 0;
let lost = 0;
let doubled = 0;
const visitor = async () => {
  for (let next = visits.shift(); next; next = visits.shift()) {
    const result = await visit(browser, service, next);
    if (result.lost || result.doubled) console.log(JSON.stringify({ ...next, ...result }));
    captured += result.captured;
    lost += result.lost;
    doubled += result.doubled;
  }
};
await Promise.all(Array.from({ length: VISITORS }, visitor));
await browser.close();
await service.close();
finish(
  report(`Browser library in ${browser.version()}, while the service cannot be reached`, [
    { name: 'events captured', value: captured, unit: '' },
    { name: 'events lost', value: lost, unit: '', below: 1 },
    { name: 'events stored twice', value: doubled, unit: '', below: 1 },
  ]),
);
