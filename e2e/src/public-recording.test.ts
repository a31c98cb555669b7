import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '@tidemark/testkit';
import { beforeAll, expect, test } from 'vitest';
import {
  becomesActive,
  browser,
  open,
  PAGE,
  type Page,
  service,
  sessionOf,
  snapshotsOf,
  withReplay,
} from './testing/replay-visits.js';

/** Pictures of the pages, to be looked at after a run; git ignores them. */
const PICTURES = fileURLToPath(new URL('../../.cache/public-pages/', import.meta.url));

withReplay();
beforeAll(() => mkdir(PICTURES, { recursive: true }));

/** The document that the player shows, as an expression in the player's frame. */
const SHOWN = `document.querySelector('.screen:not([hidden]) iframe').contentDocument`;
/** The elements of a page, with what is in them. */
const SHAPE = `(document) => [...document.body.querySelectorAll('h1, li, b, i, input')].map((e) =>
  [e.tagName, e.id, e.tagName === 'INPUT' ? e.value : e.textContent].join('|'))`;

interface Visit {
  width?: number;
  isDark?: boolean;
  path?: 'shared' | 'embedded';
  bypassCSP?: boolean;
}

/** Opens a public page, and waits until its player has a picture. */
async function visit(token: string, { width = 1280, isDark = false, path = 'shared', bypassCSP = false }: Visit = {}) {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    deviceScaleFactor: width < 500 ? 2 : 1,
    colorScheme: isDark ? 'dark' : 'light',
    bypassCSP,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${service.url}/${path}/${token}`);
  const player = await eventually(async () => {
    const frame = page.frames().find((one) => one.url().endsWith('/player'));
    if (!frame) throw new Error('no player yet');
    return frame;
  });
  return { page, player, problems, asked, close: () => context.close() };
}

const hasPicture = (player: Player) => player.locator('.screen iframe').first().waitFor({ state: 'visible' });
type Player = Awaited<ReturnType<typeof visit>>['player'];
const keep = (page: Page, name: string) => page.screenshot({ path: `${PICTURES}recording-${name}.png`, fullPage: true });
const textOf = (player: Player, selector: string) =>
  player.evaluate<string>(`${SHOWN}.querySelector('${selector}')?.textContent ?? ''`);
const shows = (player: Player, selector: string, text: string) =>
  eventually(async () => expect(await textOf(player, selector)).toBe(text));

async function share(session: string): Promise<string> {
  const path = `/api/projects/@current/session_recordings/${session}/sharing/`;
  const { status, body } = await service.call('PATCH', path, { body: { enabled: true } });
  expect(status).toBe(200);
  return String(Object.entries(body ?? {}).find(([name]) => name === 'access_token')?.[1]);
}

test('a shared recording plays as the page was', async () => {
  const recorded = await open(PAGE);
  await becomesActive(recorded.page);
  const session = await sessionOf(recorded.page);
  await recorded.page.evaluate(`document.querySelector('#title').onclick = () => {
    document.querySelector('#title').textContent = 'Clicked';
    document.querySelector('#list').append(Object.assign(document.createElement('li'), { textContent: 'Two' }));
  }`);
  await recorded.page.fill('#name', 'Ada Lovelace');
  await recorded.page.click('#title');
  await recorded.page.waitForTimeout(300);
  const was = await recorded.page.evaluate<string[]>(`(${SHAPE})(document)`);
  await recorded.page.evaluate('client.flush()');
  await snapshotsOf(session, 4, 'Two');
  await recorded.close();

  const { page, player, problems, close } = await visit(await share(session));
  await hasPicture(player);
  await shows(player, 'h1', 'Welcome');
  await keep(page, 'before');
  await player.getByRole('button', { name: 'Play the recording' }).click();
  await player.getByRole('button', { name: 'Play again' }).waitFor();
  await keep(page, 'after');
  const typed = (line: string) => line.replace('Ada Lovelace', '*'.repeat(12)).replace('hidden-4711', '*'.repeat(11));
  const masked = (line: string) => (/^[BI]\|/.test(line) ? line.replace(/\w(?=\w* |\w*$)/g, '*') : line);
  expect(await player.evaluate<string[]>(`(${SHAPE})(${SHOWN})`)).toEqual(was.map(typed).map(masked));
  expect(problems).toEqual([]);
  await close();
});
