import { expect, test } from 'vitest';
import { browser, service, withReplay } from './testing/replay-visits.js';
import {
  at,
  clicked,
  goTo,
  keep,
  opened,
  recordAndShare,
  retitled,
  says,
  shows,
  titled,
  visit,
} from './testing/shared-recordings.js';

withReplay();

/** Six parts of 20 seconds, each a separate block; the page is reloaded in the fourth. */
const PART_MS = 20_000;
const LONG = Array.from({ length: 6 }, (_, part) => [
  ...(part === 0 || part === 3 ? opened(part * PART_MS, titled(`Part ${part}`)) : []),
  at(part * PART_MS + 100, 5, { tag: 'padding', payload: '·'.repeat(400_000) }),
  retitled(part * PART_MS + 1_000, `Part ${part}`),
  clicked(part * PART_MS + 2_000),
  clicked(part * PART_MS + 15_000),
]);

test('playback of a long recording loads the first block, and after a seek the blocks from the last full snapshot', async () => {
  const { token } = await recordAndShare(LONG);
  const { player, requests: requestUrls, close } = await visit(token);
  const blocks = () =>
    requestUrls.flatMap((url) => {
      const query = new URL(url).searchParams;
      return query.has('source') ? [`${query.get('start_blob_key')}-${query.get('end_blob_key')}`] : [];
    });
  await shows(player, 'h1', 'Part 0');
  expect(blocks()).toEqual(['0-0']);
  await goTo(player, 5 * PART_MS + 2_000);
  await shows(player, 'h1', 'Part 5');
  expect(blocks()).toEqual(['0-0', '4-5', '2-3']);
  await goTo(player, 3 * PART_MS + 2_000);
  await shows(player, 'h1', 'Part 3');
  await goTo(player, PART_MS + 2_000);
  await shows(player, 'h1', 'Part 1');
  expect(blocks()).toEqual(['0-0', '4-5', '2-3', '1-1']);
  // from there to the end, across blocks that are fetched already
  await player.getByRole('radio', { name: '8×' }).check();
  await player.getByRole('button', { name: 'Play', exact: true }).click();
  await shows(player, 'h1', 'Part 5');
  expect(blocks()).toHaveLength(4);
  await close();
});

test('a block that cannot be loaded has a message and a button that tries again', async () => {
  const { token } = await recordAndShare(LONG.slice(0, 2));
  const { page, player, close } = await visit(token);
  await shows(player, 'h1', 'Part 0');
  await page.route(/start_blob_key=1/, (route) => route.fulfill({ status: 503, body: '' }));
  await goTo(player, PART_MS + 1_500);
  await says(player, 'The recording could not be loaded.');
  await keep(page, 'fault');
  await page.unrouteAll();
  await player.getByRole('button', { name: 'Try again' }).click();
  await shows(player, 'h1', 'Part 1');
  expect(await player.getByRole('status').isVisible()).toBe(false);
  await close();
});

test('a block that cannot be played has a message, and later blocks play', async () => {
  // a mouse move without a target
  const broken = at(3_000, 3, { source: 1 });
  const { token } = await recordAndShare([
    [
      ...opened(0, titled('Whole')),
      clicked(1_000),
      broken,
      clicked(4_000),
      ...opened(10_000, titled('Whole again')),
      clicked(12_000),
    ],
  ]);
  const { player, close } = await visit(token);
  await shows(player, 'h1', 'Whole');
  await player.getByRole('button', { name: 'Play the recording' }).click();
  await says(player, /This part of the recording cannot be played/);
  await goTo(player, 11_000);
  await shows(player, 'h1', 'Whole again');
  expect(await player.getByRole('status').isVisible()).toBe(false);
  await close();
});

test('a recording without a snapshot has a message', async () => {
  const { token } = await recordAndShare([[clicked(0), clicked(1_000)]]);
  const { player, close } = await visit(token);
  await says(player, /no picture of a page/);
  await close();
});

test('a recording that is deleted while its page is open has a message', async () => {
  const { token, session } = await recordAndShare([[...opened(0, titled('Gone')), clicked(1_000)]]);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route(/\/snapshots$/, async (route) => {
    await service.call('DELETE', `/api/projects/@current/session_recordings/${session}/`);
    await route.continue();
  });
  await page.goto(`${service.url}/shared/${token}/player`);
  await page.getByText('This recording is not here any more.').waitFor();
  await context.close();
});
