import { eventually } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { axe, isTooWide } from './testing/public-pages.js';
import { browser, service, site, withReplay } from './testing/replay-visits.js';
import {
  at,
  clicked,
  element,
  goTo,
  hasPicture,
  keep,
  opened,
  ROOT,
  recordAndShare,
  recordAppAndShare,
  SCREEN,
  SHOWN,
  shows,
  TITLE,
  textOf,
  titled,
  visit,
  words,
} from './testing/shared-recordings.js';

withReplay();

/** Attacks: attempts to run code, to leave the page, or to call the service. */
const hostile = (host: string) => {
  const code = `top.hacked = parent.hacked = window.hacked = 1; fetch('${host}/hacked')`;
  return titled(
    'Trap',
    element('base', { href: `${host}/hacked/` }),
    element('meta', { 'http-equiv': 'refresh', content: `0; url=${host}/hacked` }),
    element('script', {}, words(code)),
    element('script', { src: `${host}/hacked` }),
    element('img', { src: `${host}/static/none.png`, onerror: code }),
    element('svg', { onload: code }),
    element('iframe', { srcdoc: `<script>${code}</script>` }),
    element('iframe', { src: `${host}/hacked` }),
    element('iframe', { src: `javascript:${code}` }),
    element('object', { data: `${host}/hacked` }),
    element('embed', { src: `${host}/hacked` }),
    element('a', { id: 'script', href: `javascript:${code}` }, words('A link that is a script')),
    element('a', { id: 'top', href: `${host}/hacked`, target: '_top' }, words('A link out of here')),
    element('a', { id: 'new', href: `${host}/hacked`, target: '_blank' }, words('A link to a new tab')),
    element(
      'form',
      { id: 'form', action: `${host}/hacked`, target: '_top' },
      element('button', { autofocus: '' }, words('Send')),
    ),
  );
};

test('a recorded page runs no script, sends no request and has no working link', async () => {
  const host = service.url;
  const later = element('img', { src: 'data:,', onerror: `top.hacked = 1` });
  const { token } = await recordAndShare([
    [
      ...opened(0, hostile(host)),
      at(500, 3, {
        source: 0,
        texts: [],
        attributes: [{ id: TITLE - 1, attributes: { onmouseover: 'top.hacked = 1' } }],
        removes: [],
        adds: [{ parentId: 5, nextId: null, node: { ...later, id: 900 } }],
      }),
      clicked(1_000),
      clicked(3_000),
    ],
  ]);
  const { page, player, requests, close } = await visit(token);
  await hasPicture(player);
  await shows(player, 'h1', 'Trap');
  await player.getByRole('button', { name: 'Play the recording' }).click();
  await player.getByRole('button', { name: 'Play again' }).waitFor();
  await eventually(async () => expect(await player.evaluate(`${SHOWN}.querySelectorAll('img').length`)).toBe(2));
  // as a visitor might: mouse over every element, Tab through all of them
  const picture = await player.locator('.screen').boundingBox();
  if (!picture) throw new Error('there is no picture');
  for (let y = 10; y < picture.height; y += 40) await page.mouse.click(picture.x + 60, picture.y + y);
  for (let tab = 0; tab < 12; tab++) {
    await page.keyboard.press('Tab');
    expect(await player.evaluate(`${ROOT}.activeElement?.tagName`)).not.toBe('IFRAME');
  }
  // and by synthetic events
  await player.evaluate(`{
    const shown = ${SHOWN};
    shown.querySelector('#script').click();
    shown.querySelector('#top').click();
    shown.querySelector('#new').click();
    shown.querySelector('form').submit();
  }`);
  // no event says that a browser does not navigate
  await page.waitForTimeout(500);
  expect(await textOf(player, 'h1')).toBe('Trap');
  expect(page.url()).toBe(`${host}/shared/${token}`);
  expect(page.context().pages()).toHaveLength(1);
  for (const frame of page.frames().slice(0, 2)) expect(await frame.evaluate('String(window.hacked)')).toBe('undefined');
  expect(await player.evaluate(`String(${SCREEN}.contentWindow.hacked)`)).toBe('undefined');
  expect(requests.filter((url) => url.includes('hacked'))).toEqual([]);
  await close();
});

test('a recorded application is drawn only as boxes, texts and its own images', async () => {
  const host = service.url;
  const code = `top.hacked = parent.hacked = window.hacked = 1; fetch('${host}/hacked')`;
  const drawing = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="${code}"><script>${code}</script></svg>`);
  const traps: object[] = [
    { type: 'text', text: `<img src=x onerror="${code}"><script>${code}</script>`, onclick: code, tagName: 'script' },
    { type: 'script', text: code, attributes: { src: `${host}/hacked` } },
    { type: 'image', base64: `${host}/hacked` },
    { type: 'image', base64: `data:image/svg+xml;base64,${drawing.toString('base64')}` },
    { type: 'image', base64: `data:image/png;base64,AAAA" onerror="${code}` },
    { type: 'web_view', url: `javascript:${code}`, src: `${host}/hacked` },
    { type: 'placeholder', label: `</div><iframe src="${host}/hacked"></iframe>` },
    { type: 'input', inputType: 'text', value: '" autofocus onfocus="top.hacked = 1', onfocus: code },
    { type: 'rectangle', style: { backgroundImage: `${host}/hacked`, backgroundColor: `red;background:url(${host}/hacked)` } },
    { type: 'div', style: `background:url(${host}/hacked)`, width: `1px;background:url(${host}/hacked)` },
  ].map((trap, index) => ({ id: index + 2, x: 10, y: 60 + index * 50, width: 380, height: 45, ...trap }));
  const [first, ...later] = traps;
  const token = await recordAppAndShare(
    [
      [
        at(0, 4, { width: 400, height: 700, href: `javascript:${code}` }),
        at(1, 2, { wireframes: [first, { id: 99, type: 'text', text: 'Trap', width: 100, height: 30 }] }),
        at(300, 3, { source: 0, adds: later.map((wireframe) => ({ wireframe })), updates: [{ wireframe: first }] }),
        at(400, 3, {
          source: 0,
          texts: [],
          attributes: [{ id: 7, attributes: { onmouseover: code } }],
          removes: [],
          adds: [
            {
              parentId: 7,
              nextId: null,
              node: { type: 2, tagName: 'script', attributes: { src: `${host}/hacked` }, childNodes: [], id: 900 },
            },
          ],
        }),
        at(500, 5, {
          tag: 'keyboard',
          payload: { open: true, height: 90, styles: { color: `red;background:url(${host}/hacked)` } },
        }),
        at(700, 3, { source: 2, type: 7, id: 0, x: 50, y: 80 }),
        at(1_500, 3, { source: 2, type: 9, id: 0, x: 50, y: 80 }),
      ],
    ],
    'posthog-android',
  );
  const { page, player, requests, problems, close } = await visit(token);
  await hasPicture(player);
  await player.getByRole('button', { name: 'Play the recording' }).click();
  await player.getByRole('button', { name: 'Play again' }).waitFor();
  await keep(page, 'app-trap');
  const tags = `[...new Set([...${SHOWN}.body.querySelectorAll('*')].map((e) => e.tagName + [...e.attributes].map(({ name }) => ' ' + name).sort().join('')))].sort()`;
  expect(await player.evaluate(tags)).toEqual(['DIV class style', 'DIV style']);
  expect(await player.evaluate(`${SHOWN}.body.children.length`)).toBe(traps.length + 2);
  for (const frame of page.frames().slice(0, 2)) expect(await frame.evaluate('String(window.hacked)')).toBe('undefined');
  expect(requests.filter((url) => url.includes('hacked'))).toEqual([]);
  expect(problems).toEqual([]);
  await close();
});

test('a page is shown in frames of other sites only if it is embedded', async () => {
  const { token } = await recordAndShare([[...opened(0, titled('Within')), clicked(1_000)]]);
  site.page.headers = {};
  site.page.html = ['embedded', 'shared']
    .map((path) => `<iframe src="${service.url}/${path}/${token}" width="700" height="600"></iframe>`)
    .join('');
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(site.url.replace('127.0.0.1', 'localhost'));
  const player = await eventually(async () => {
    const frame = page.frames().find((one) => one.url().endsWith('/player'));
    if (!frame) throw new Error('no player yet');
    return frame;
  });
  await shows(player, 'h1', 'Within');
  expect(page.frames().filter((frame) => frame.url().endsWith('/player'))).toHaveLength(1);
  expect(player.url()).toBe(`${service.url}/embedded/${token}/player`);
  await context.close();
});

const BUSY = [
  ...opened(
    0,
    titled(
      'The shop',
      element(
        'style',
        {},
        words(
          'body { font: 18px sans-serif; margin: 40px; background: #fdf6e3 } h1 { color: #a33 } .on { color: #fff; background: #a33; padding: 8px 16px }',
        ),
      ),
      element('p', {}, words('Everything for gardens. '.repeat(30))),
      element('a', { class: 'on', href: 'https://shop.example/buy', style: 'border: 4px solid #333' }, words('Buy now')),
    ),
  ),
  at(500, 3, { source: 1, positions: [{ x: 300, y: 200, id: 6, timeOffset: 0 }] }),
  clicked(1_000),
  // beyond an hour the time display is at its widest
  clicked(3_700_000),
];

test.each([
  ['light', {}],
  ['dark', { isDark: true }],
  ['phone', { width: 360 }],
  ['small phone', { width: 320 }],
])('the page is complete, and axe-core finds no violation in page and player: %s', async (name, visited) => {
  const { token } = await recordAndShare([BUSY]);
  const { page, player, problems, close } = await visit(token, visited);
  await shows(player, 'h1', 'The shop');
  // styles of the recording apply
  expect(await player.evaluate(`${SHOWN}.defaultView.getComputedStyle(${SHOWN}.querySelector('h1')).color`)).toBe(
    'rgb(170, 51, 51)',
  );
  expect(await player.evaluate(`${SHOWN}.defaultView.getComputedStyle(${SHOWN}.querySelector('a')).borderTopWidth`)).toBe('4px');
  await goTo(player, 900);
  await keep(page, name);
  for (const frame of [page, player]) expect(await isTooWide(frame)).toBe(false);
  const [picture, stage] = [await player.locator('.screen').boundingBox(), await player.locator('.stage').boundingBox()];
  expect(picture && stage && picture.width <= stage.width && picture.height <= stage.height).toBe(true);
  expect(problems).toEqual([]);
  await close();

  const open = await visit(token, { ...visited, bypassCSP: true });
  expect(await axe(open.page)).toEqual([]);
  await open.page.goto(`${service.url}/shared/${token}/player`);
  await open.page.getByRole('button', { name: 'Play the recording' }).click();
  await open.page.getByRole('button', { name: 'Pause' }).click();
  expect(await axe(open.page)).toEqual([]);
  await open.close();
});

test('without JavaScript the page has the facts of the recording and a note about the player', async () => {
  const { token } = await recordAndShare([BUSY]);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${service.url}/shared/${token}`);
  expect(await page.getByText('First page').isVisible()).toBe(true);
  const hint = page.frameLocator('.player').locator('noscript');
  await hint.waitFor();
  expect(await hint.textContent()).toBe('Playing the recording needs JavaScript.');
  await context.close();
});
