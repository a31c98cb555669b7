import { eventually } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { axe, COLOR_RULES, isTooWide } from './testing/public-pages.js';
import { becomesActive, open, PAGE, service, sessionOf, snapshotsOf, withReplay } from './testing/replay-visits.js';
import {
  at,
  clicked,
  element,
  goTo,
  hasPicture,
  keep,
  opened,
  recordAndShare,
  retitled,
  SHOWN,
  share,
  shows,
  titled,
  visit,
  words,
} from './testing/shared-recordings.js';

withReplay();

/** The elements of a page with their content. */
const SHAPE = `(document) => [...document.body.querySelectorAll('h1, li, b, i, input')].map((e) =>
  [e.tagName, e.id, e.tagName === 'INPUT' ? e.value : e.textContent].join('|'))`;

test('a shared recording plays as the visitor saw the page', async () => {
  const recorded = await open(PAGE);
  await becomesActive(recorded.page);
  const session = await sessionOf(recorded.page);
  await recorded.page.evaluate(`document.querySelector('#title').onclick = () => {
    document.querySelector('#title').textContent = 'Clicked';
    document.querySelector('#list').append(Object.assign(document.createElement('li'), { textContent: 'Two' }));
  }`);
  await recorded.page.fill('#name', 'Ada Lovelace');
  await recorded.page.click('#title');
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

test('the player seeks to any time, forwards and backwards, by mouse and keyboard', async () => {
  const { token } = await recordAndShare([
    [
      ...opened(0, titled('At first')),
      clicked(1_000),
      retitled(5_000, 'At five'),
      retitled(20_000, 'At twenty'),
      clicked(30_000),
    ],
  ]);
  const { page, player, problems, close } = await visit(token);
  await shows(player, 'h1', 'At first');
  await goTo(player, 21_000);
  await shows(player, 'h1', 'At twenty');
  await goTo(player, 6_000);
  await shows(player, 'h1', 'At five');
  expect(await player.locator('.time').textContent()).toBe('0:06 / 0:30');
  // without the query and fragment, which may be private
  expect(await player.locator('.address').textContent()).toBe('https://shop.example/cart');

  const bar = player.getByRole('slider');
  await bar.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await shows(player, 'h1', 'At first');
  expect(await bar.getAttribute('aria-valuetext')).toBe('0 seconds of 30 seconds');
  await page.keyboard.press('End');
  await shows(player, 'h1', 'At twenty');
  await goTo(player, 0);
  await page.keyboard.press('Space');
  await player.getByRole('button', { name: 'Pause' }).waitFor();
  await player.getByRole('radio', { name: '8×' }).check();
  await shows(player, 'h1', 'At five');
  await page.keyboard.press('Space');
  await player.getByRole('button', { name: 'Play', exact: true }).waitFor();
  expect(problems).toEqual([]);
  await close();
});

/** A session with two pages, a named button, a rage click, typing, an error in the console and a request. */
const SESSION = [
  ...opened(
    0,
    titled(
      'Pay for Pro',
      element('button', {}, words('Pay $49.00')),
      element('input', { placeholder: 'Card number', value: '****' }),
    ),
  ),
  at(4_000, 3, { source: 2, type: 2, id: 8, x: 30, y: 90 }),
  ...[6_000, 6_200, 6_400].map((ms) => at(ms, 3, { source: 5, id: 10, text: '*', isChecked: false })),
  ...[8_000, 8_200, 8_400, 8_600].map((ms) => at(ms, 3, { source: 2, type: 2, id: 9, x: 31, y: 91 })),
  at(9_000, 6, { plugin: 'rrweb/console@1', payload: { level: 'error', trace: [], payload: ['"amount is null"'] } }),
  at(9_500, 6, { plugin: 'rrweb/console@1', payload: { level: 'log', trace: [], payload: ['"again"'] } }),
  at(9_800, 6, {
    plugin: 'rrweb/network@1',
    payload: { requests: [{ name: 'https://shop.example/pay?card=4711', method: 'POST', responseStatus: 500, duration: 120 }] },
  }),
  ...opened(30_000, titled('Thanks'), 'https://shop.example/thanks'),
  clicked(40_000),
];

test('what happened is listed beside the picture and marked on the bar, and each entry is a place to play from', async () => {
  const { token } = await recordAndShare([SESSION]);
  const { page, player, problems, close } = await visit(token);
  await shows(player, 'h1', 'Pay for Pro');
  const entries = () => player.locator('.moment').allInnerTexts();
  const lines = async () => (await entries()).map((text) => text.replace(/\s+/g, ' '));
  await expect
    .poll(lines)
    .toEqual([
      '0:00 Page view /cart',
      '0:04 Clicked “Pay $49.00”',
      '0:06 Typed Card number',
      '0:08 Clicked 4 times fast “Pay $49.00”',
      '0:09 Error amount is null',
      '0:30 Page view /thanks',
      '0:40 Clicked “Thanks”',
    ]);
  expect(await player.locator('.mark').evaluateAll((marks) => marks.map(({ className }) => className))).toEqual(
    ['page', 'click', 'rage', 'error', 'page', 'click'].map((kind) => `mark ${kind}`),
  );
  await player.getByRole('button', { name: /thanks/ }).click();
  await shows(player, 'h1', 'Thanks');
  await expect.poll(() => player.locator('[aria-current]').textContent()).toContain('/thanks');
  expect(await player.getByRole('button', { name: 'Play the recording' }).isVisible()).toBe(false);

  await player.getByRole('tab', { name: 'Console 2' }).click();
  await expect.poll(lines).toEqual(['0:09 error amount is null', '0:10 log again']);
  await page.keyboard.press('ArrowRight');
  await expect.poll(lines).toEqual(['0:10 POST 500 · 120 ms · https://shop.example/pay']);
  expect(problems).toEqual([]);
  await close();
});

test('the list is narrowed by text, kind and level, and J goes through what is left', async () => {
  const { token } = await recordAndShare([SESSION]);
  const { page, player, problems, close } = await visit(token);
  await shows(player, 'h1', 'Pay for Pro');
  const lines = async () => (await player.locator('.moment').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  await expect.poll(lines).toHaveLength(7);
  await player.getByRole('tab', { name: 'Events 7' }).focus();
  await page.keyboard.press('/');
  await page.keyboard.type('pay CLICK');
  await expect.poll(lines).toEqual(['0:04 Clicked “Pay $49.00”', '0:08 Clicked 4 times fast “Pay $49.00”']);
  // keys of the player are letters in a field
  await page.keyboard.type('j4');
  await player.getByText('Nothing here matches.').waitFor();
  expect(await player.locator('.time').textContent()).toBe('0:00 / 0:40');
  await player.getByRole('button', { name: 'Show all' }).click();
  await player.getByRole('combobox', { name: 'Show' }).selectOption('Page views');
  await expect.poll(lines).toEqual(['0:00 Page view /cart', '0:30 Page view /thanks']);
  await player.getByRole('button', { name: /thanks/ }).focus();
  await page.keyboard.press('j');
  await expect.poll(() => player.locator('.time').textContent()).toBe('0:30 / 0:40');

  await player.getByRole('tab', { name: 'Console 2' }).click();
  await player.getByRole('combobox', { name: 'Show' }).selectOption('Errors');
  await expect.poll(lines).toEqual(['0:09 error amount is null']);
  await player.getByRole('tab', { name: 'Network 1' }).click();
  await player.getByRole('combobox', { name: 'Show' }).selectOption('Failed');
  await expect.poll(lines).toEqual(['0:10 POST 500 · 120 ms · https://shop.example/pay']);
  expect(problems).toEqual([]);
  await close();
});

test('an address with a time opens there without a button over the picture, and such a link is copied', async () => {
  const { token } = await recordAndShare([SESSION]);
  const { page, player, problems, close } = await visit(token, { query: '?t=30' });
  await shows(player, 'h1', 'Thanks');
  expect(await player.locator('.time').textContent()).toBe('0:30 / 0:40');
  expect(await player.getByRole('button', { name: 'Play the recording' }).isVisible()).toBe(false);
  expect(await player.getByRole('list', { name: 'About the session' }).textContent()).toMatch(
    /^Duration: 40\.?0?s.*6 clicks.*1 error.*First page: \/cart.*Window: 800 × 600$/,
  );
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await player.getByRole('button', { name: 'Copy link from 0:30' }).click();
  await player.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${service.url}/shared/${token}?t=30`);
  await goTo(player, 9_400);
  await player.getByRole('tab', { name: 'Events 7' }).focus();
  await page.keyboard.press('c');
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(`${service.url}/shared/${token}?t=9`);
  expect(problems).toEqual([]);
  await close();
});

test('keys skip ten seconds, go through the list, and are listed under ?', async () => {
  const { token } = await recordAndShare([SESSION]);
  const { page, player, close } = await visit(token);
  await shows(player, 'h1', 'Pay for Pro');
  const time = () => player.locator('.time').textContent();
  await player
    .locator('h1')
    .first()
    .evaluate(() => document.body.focus());
  await player.getByRole('button', { name: '10 s ahead' }).click();
  await expect.poll(time).toBe('0:10 / 0:40');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(time).toBe('0:00 / 0:40');
  for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key);
  await expect.poll(time).toBe('0:06 / 0:40');
  await page.keyboard.press('4');
  expect(await player.getByRole('radio', { name: '4×' }).isChecked()).toBe(true);
  const skipping = player.getByRole('switch', { name: 'Skip inactivity' });
  const wasSkipping = await skipping.isChecked();
  await page.keyboard.press('s');
  expect([wasSkipping, await skipping.isChecked()]).toEqual([true, false]);
  await page.keyboard.press('?');
  await player.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await expect.poll(time).toBe('0:06 / 0:40');
  await page.keyboard.press('Escape');
  await player.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
  await close();
});

test.each([
  [1280, false],
  [1280, true],
  [360, false],
] as const)('at %s pixels, dark: %s, axe finds nothing, and nothing is too wide', async (width, isDark) => {
  const { token } = await recordAndShare([SESSION]);
  const { page, player, close } = await visit(token, { width, height: width < 500 ? 760 : 900, isDark, bypassCSP: true });
  await shows(player, 'h1', 'Pay for Pro');
  await goTo(player, 8_300);
  await player.locator('.moment[aria-current].rage').waitFor();
  await keep(page, `list-${width}${isDark ? '-dark' : ''}`);
  expect(await axe(page, isDark ? COLOR_RULES : undefined)).toEqual([]);
  expect(await isTooWide(player)).toBe(false);
  await close();
});

test('long inactivity is skipped', async () => {
  const { token } = await recordAndShare([[...opened(0, titled('Here')), clicked(500), clicked(1_000), clicked(900_000)]]);
  const { player, close } = await visit(token);
  await player.getByRole('button', { name: 'Play the recording' }).click();
  // fifteen minutes, which the player skips
  await player.getByRole('button', { name: 'Play again' }).waitFor();
  expect(await player.locator('.time').textContent()).toBe('15:00 / 15:00');
  await close();
});

test('playback follows the visitor from one tab to another', async () => {
  const { token } = await recordAndShare(
    [
      [...opened(0, titled('First tab')), clicked(500), retitled(5_000, 'First tab again'), clicked(5_500), clicked(8_000)],
      [...opened(2_000, titled('Second tab'), 'https://shop.example/second'), clicked(3_000), clicked(4_000)],
    ],
    ['one', 'two'],
  );
  const { player, close } = await visit(token);
  await shows(player, 'h1', 'First tab');
  await goTo(player, 3_500);
  await shows(player, 'h1', 'Second tab');
  expect(await player.locator('.address').textContent()).toBe('https://shop.example/second');
  await goTo(player, 6_000);
  await shows(player, 'h1', 'First tab again');
  await goTo(player, 3_800);
  await shows(player, 'h1', 'Second tab');
  await player.getByRole('button', { name: 'Play', exact: true }).click();
  await shows(player, 'h1', 'First tab again');
  await player.getByRole('button', { name: 'Play again' }).waitFor();
  await close();
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A canvas mutation of posthog-js. */
const drawn = (ms: number, id: number, base64: string, type = 'image/png') => {
  const blob = { rr_type: 'Blob', data: [{ rr_type: 'ArrayBuffer', base64 }], type };
  const image = { rr_type: 'ImageBitmap', args: [blob] };
  const commands = [
    { property: 'clearRect', args: [0, 0, 200, 100] },
    { property: 'drawImage', args: [image, 0, 0, 200, 100] },
  ];
  return at(ms, 3, { source: 9, id, type: 0, commands });
};

test('a canvas has its size, and its content at the time of playback', async () => {
  // node ids by document order: 6 and 7 the title, 8 and 9 the canvases, 10 the rest
  const page = titled(
    'Canvas',
    element('canvas', { width: '200', height: '100' }),
    element('canvas', {}),
    element('p', {}, words('Below')),
  );
  const { token } = await recordAndShare([
    [
      ...opened(0, page),
      drawn(2_000, 8, PIXEL),
      drawn(4_000, 9, `"),url(http://127.0.0.1/`, 'image/png'),
      drawn(4_500, 9, PIXEL, 'text/html'),
      drawn(5_000, 8, `${PIXEL.slice(0, -4)}AAAA`),
      clicked(6_000),
    ],
  ]);
  const { player, problems, close } = await visit(token);
  await shows(player, 'h1', 'Canvas');
  const canvases = () =>
    player.evaluate<string[]>(`[...${SHOWN}.querySelectorAll('canvas')].map((canvas) => {
      const { width, height } = canvas.getBoundingClientRect();
      return [width, height, canvas.style.backgroundImage].join('|');
    })`);
  expect(await canvases()).toEqual(['200|100|', '300|150|']);
  for (const [time, image] of [
    [3_000, PIXEL],
    [5_900, `${PIXEL.slice(0, -4)}AAAA`],
    [3_000, PIXEL],
  ] as const) {
    await goTo(player, time);
    await eventually(async () => expect(await canvases()).toEqual([`200|100|url("data:image/png;base64,${image}")`, '300|150|']));
  }
  expect(problems).toEqual([]);
  await close();
});
