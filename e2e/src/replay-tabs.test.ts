import { eventually } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { active, becomesActive, open, PAGE, type Page, site, tap, uploads, withReplay } from './testing/replay-visits.js';

withReplay();

/** Adds words to the page and removes them again, so that only the incremental snapshots contain them. */
const showBriefly = (tab: Page, words: string) =>
  tab.evaluate(`new Promise((done) => {
    const element = document.body.appendChild(document.createElement('p'));
    element.textContent = '${words}';
    requestAnimationFrame(() => requestAnimationFrame(() => (element.remove(), done())));
  })`);

test('an opt-out in one tab stops the recordings of all tabs, and drops their unsent snapshots', async () => {
  const { page: one, context, close } = await open(PAGE);
  const two = await context.newPage();
  await two.goto(site.url);
  await becomesActive(one);
  await becomesActive(two);

  tap.mode = 'error';
  await two.click('#title');
  await showBriefly(two, 'not sent yet');
  await two.evaluate('client.flush()');
  await eventually(async () => expect(uploads().some(({ text }) => text.includes('not sent yet'))).toBe(true));
  await showBriefly(two, 'not even tried');
  await one.evaluate('client.optOut()');
  await becomesActive(two, false);
  expect(await two.evaluate('client.isOptedOut()')).toBe(true);
  tap.requests.length = 0;
  tap.mode = 'pass';
  await showBriefly(two, 'after the refusal');

  await one.evaluate('client.optIn()');
  await becomesActive(two);
  await two.click('#title');
  await showBriefly(two, 'agreed again');
  await two.evaluate('client.flush()');
  await eventually(async () => expect(uploads().some(({ text }) => text.includes('agreed again'))).toBe(true));
  expect(tap.sent()).not.toMatch(/not sent yet|not even tried|after the refusal/);
  expect(await active(one)).toBe(true);
  await close();
});
