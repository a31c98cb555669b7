import { gzipSync } from 'node:zlib';
import { eventually, type Service } from '@tidemark/testkit';
import { expect } from 'vitest';
import { keepPicture, type Visit as PageVisit, watchedPage } from './public-pages.js';
import { browser, type Page, service } from './replay-visits.js';

/** The root of the player's elements, as an expression in the player's frame. */
export const ROOT = `document.querySelector('#player').shadowRoot`;
/** The frame that the player shows. */
export const SCREEN = `${ROOT}.querySelector('.screen:not([hidden]) iframe')`;
/** The document in it. */
export const SHOWN = `${SCREEN}.contentDocument`;

interface Visit extends PageVisit {
  path?: 'shared' | 'embedded';
  /** Query of the page, with its `?`. */
  query?: string;
}

/** Opens a public page and waits for its player. */
export async function visit(token: string, { path = 'shared', query = '', ...how }: Visit = {}) {
  const watched = await watchedPage(browser, how);
  await watched.page.goto(`${service.url}/${path}/${token}${query}`);
  const player = await eventually(async () => {
    const frame = watched.page.frames().find((one) => new URL(one.url()).pathname.endsWith('/player'));
    if (!frame) throw new Error('no player yet');
    return frame;
  });
  return { ...watched, player };
}

export const hasPicture = (player: Player) => player.locator('.screen iframe').first().waitFor({ state: 'visible' });
export type Player = Awaited<ReturnType<typeof visit>>['player'];
export const keep = (page: Page, name: string) => keepPicture(page, `recording-${name}`);
export const textOf = (player: Player, selector: string) =>
  player.evaluate<string>(`${SHOWN}.querySelector('${selector}')?.textContent ?? ''`);
export const shows = (player: Player, selector: string, text: string) =>
  eventually(async () => expect(await textOf(player, selector)).toBe(text));

export async function share(session: string): Promise<string> {
  const path = `/api/projects/@current/session_recordings/${session}/sharing/`;
  const { status, body } = await service.call('PATCH', path, { body: { enabled: true } });
  expect(status).toBe(200);
  return String(Object.entries(body ?? {}).find(([name]) => name === 'access_token')?.[1]);
}

/** A node of an rrweb snapshot; ids follow document order. */
type Made = Record<string, unknown>;
function pageOf(...body: Made[]): Made {
  let id = 0;
  const numbered = (node: Made): Made => {
    const own = ++id;
    const children = Array.isArray(node['childNodes']) ? { childNodes: node['childNodes'].map(numbered) } : {};
    return { ...node, ...children, id: own };
  };
  const html = element('html', {}, element('head', {}), element('body', {}, ...body));
  return numbered({ type: 0, childNodes: [{ type: 1, name: 'html', publicId: '', systemId: '' }, html] });
}
export const element = (tagName: string, attributes: object, ...childNodes: Made[]): Made => ({
  type: 2,
  tagName,
  attributes,
  childNodes,
});
export const words = (textContent: string): Made => ({ type: 3, textContent });
/** The text of the page of `titled`: document 1, doctype 2, html 3, head 4, body 5, h1 6. */
export const TITLE = 7;
export const titled = (title: string, ...more: Made[]) => pageOf(element('h1', {}, words(title)), ...more);

const START = Date.now() - 1_800_000;
export const at = (ms: number, type: number, data: object) => ({ type, timestamp: START + ms, data });
export const opened = (ms: number, node: Made, href = 'https://shop.example/cart?secret=1') => [
  at(ms, 4, { href, width: 800, height: 600 }),
  at(ms + 1, 2, { node, initialOffset: { top: 0, left: 0 } }),
];
export const retitled = (ms: number, value: string) =>
  at(ms, 3, { source: 0, texts: [{ id: TITLE, value }], attributes: [], removes: [], adds: [] });
export const clicked = (ms: number) => at(ms, 3, { source: 2, type: 2, id: TITLE - 1, x: 20, y: 20 });

/** Records the visit of `ada` to a page with the title `A cart` and a click, in a session of the first project of a service. */
export async function recordCart(to: Service, session: string): Promise<void> {
  const properties = {
    $snapshot_data: [...opened(0, titled('A cart')), clicked(4_000)],
    $session_id: session,
    $window_id: 'w',
    distinct_id: 'ada',
    token: to.account.projectKey,
  };
  expect((await to.post('/s/', [{ event: '$snapshot', properties }])).status).toBe(200);
}

let sessions = 0;
/** Sends a session's recording, one request per part, and shares it publicly; returns the token. */
export async function recordAndShare(
  parts: object[][],
  windows: readonly string[] = [],
): Promise<{ token: string; session: string }> {
  const session = `made-${++sessions}`;
  for (const [index, $snapshot_data] of parts.entries()) {
    const properties = { $snapshot_data, $session_id: session, $window_id: windows[index] ?? 'w', distinct_id: 'ada' };
    const event = { event: '$snapshot', properties: { ...properties, token: service.account.projectKey } };
    const { status, body } = await service.post('/s/', [event]);
    expect([status, body]).toEqual([200, { status: 'Ok' }]);
  }
  return { token: await share(session), session };
}

/** The same in the format of mobile SDKs: compressed, each event with the key, and the encoding only in the header. */
export async function recordAppAndShare(parts: object[][], library: 'posthog-ios' | 'posthog-android'): Promise<string> {
  const session = `made-${++sessions}`;
  for (const $snapshot_data of parts) {
    const properties = { $snapshot_data, $snapshot_source: 'mobile', $session_id: session, distinct_id: 'ada' };
    const at = { timestamp: new Date().toISOString(), uuid: crypto.randomUUID() };
    const event = { event: '$snapshot', distinct_id: 'ada', properties, ...at, api_key: service.account.projectKey };
    const answer = await fetch(`${service.url}/s/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', 'user-agent': `${library}/3.50.0` },
      body: gzipSync(JSON.stringify([event])),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'Ok' }]);
  }
  return share(session);
}

export const goTo = (player: Player, ms: number) => player.getByRole('slider').fill(String(ms));
export const says = (player: Player, text: string | RegExp) => player.getByRole('status').getByText(text).waitFor();
