import { expect, test } from 'vitest';
import { html } from '../../http/html.js';
import type { OpenTile, PublicContent } from './dashboard-loader.js';
import { dashboardPage } from './page.js';
import { displayOptionsOf } from './store.js';

const renderers = {
  charts: { draw: () => Promise.reject(new Error('there is no chart')) },
  markdown: async (source: string) => html`${source}`,
};
const options = {
  display: displayOptionsOf({}),
  isEmbedded: false,
  nonce: 'n',
  image: '',
  timezone: 'UTC',
  player: null,
  range: null,
  refresh: null,
  path: '/shared/x',
  script: null,
};

function tileOf(content: Promise<PublicContent>): OpenTile {
  const result = { known: null, content: content.then((own) => ({ content: own, version: '1' })) };
  return { title: '', description: '', days: '', color: null, place: null, content, result };
}

test('the head and the first tile are sent while the second one is computed', async () => {
  const first: PublicContent = { kind: 'text', body: 'first tile' };
  let finish = (_: PublicContent) => {};
  const second = new Promise<PublicContent>((resolve) => {
    finish = resolve;
  });
  const tiles = [tileOf(Promise.resolve(first)), tileOf(second)];
  const page = dashboardPage(renderers, { title: 'Growth', description: '', notes: [], tiles }, options);
  expect((await page.next()).value).toContain('<h1>Growth</h1>');
  expect((await page.next()).value).toContain('first tile');
  const next = page.next();
  expect(await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 50, 'still computed'))])).toBe('still computed');
  finish({ kind: 'text', body: 'second tile' });
  expect((await next).value).toContain('second tile');
});
