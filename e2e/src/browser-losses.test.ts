import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEAVINGS, TROUBLES, visit } from './lost-events.js';

let service: Service;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser({ backForwardCache: true })]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

// `npm run bench -- client-losses` does the same with 2,000 events
describe.concurrent.each(TROUBLES)('while the service cannot be reached (%s)', (trouble) => {
  test.each(LEAVINGS)('a page that is left by %s loses no event and stores none twice', async (leaving) => {
    for (const round of [0, 3]) {
      const result = await visit(browser, service, { trouble, leaving, events: 9, round });
      expect({ round, ...result }).toEqual({ round, captured: 9, lost: 0, doubled: 0 });
    }
  });
});
