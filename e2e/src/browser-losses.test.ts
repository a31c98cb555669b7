import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEAVINGS, type Leaving, TROUBLES, type Trouble, visit } from './lost-events.js';

let service: Service;
let browser: Browser;
/** The browser with the back/forward cache, where a page takes several times the processor time. */
let whole: Browser;
beforeAll(async () => {
  [service, browser, whole] = await Promise.all([startService(), launchBrowser(), launchBrowser({ backForwardCache: true })]);
});
afterAll(async () => {
  await browser?.close();
  await whole?.close();
  await service?.close();
});

/**
 * Round 0 leaves before the page has noticed the failure, and round 3 after it. A hidden page is shown again in the one and killed in the
 * other; pages that are left in another way take them in turn.
 */
const roundsOf = (trouble: Trouble, leaving: Leaving): number[] =>
  leaving === 'hide' ? [0, 3] : [(TROUBLES.indexOf(trouble) + LEAVINGS.indexOf(leaving)) % 2 ? 0 : 3];

// `npm run bench -- client-losses` does the same with 2,000 events and each round
describe.concurrent.each(TROUBLES)('while the service cannot be reached (%s)', (trouble) => {
  test.each(LEAVINGS)('a page that is left by %s loses no event and stores none twice', async (leaving) => {
    for (const round of roundsOf(trouble, leaving)) {
      const result = await visit(leaving === 'bfcache' ? whole : browser, service, { trouble, leaving, events: 9, round });
      expect({ round, ...result }).toEqual({ round, captured: 9, lost: 0, doubled: 0 });
    }
  });
});
