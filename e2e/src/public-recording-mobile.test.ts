import { eventually } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { isTooWide } from './testing/public-pages.js';
import { browser, withReplay } from './testing/replay-visits.js';
import { at, goTo, hasPicture, keep, type Player, recordAppAndShare, SCREEN, SHOWN, visit } from './testing/shared-recordings.js';

withReplay();

const SIZE = { width: 390, height: 844 };

/** A screenshot as the iOS SDK sends it. */
async function screenOf(title: string, color: string): Promise<string> {
  const page = await browser.newPage({ viewport: SIZE });
  await page.setContent(`<body style="margin:0;font:20px sans-serif;background:#f4f5f7"><h1 style="margin:0;padding:60px 20px 20px;color:#fff;background:${color}">${title}</h1>
    <p style="margin:20px;padding:20px;border-radius:12px;background:#fff">Tulips, 12 bulbs<br>8.50 €</p><p style="margin:20px;padding:20px;border-radius:12px;background:#111">&nbsp;</p>
    <p style="position:absolute;bottom:20px;left:20px;right:20px;padding:16px;border-radius:12px;text-align:center;color:#fff;background:${color}">Continue</p></body>`);
  const picture = await page.screenshot({ type: 'jpeg', quality: 60 });
  await page.close();
  return `data:image/jpeg;base64,${picture.toString('base64')}`;
}

const window = (base64: string) => ({
  wireframes: [{ id: 4_611_686, type: 'screenshot', x: 0, y: 0, ...SIZE, base64 }],
  initialOffset: { top: 0, left: 0 },
});
const touch = (ms: number, type: 7 | 9, y = 800) => at(ms, 3, { id: 0, pointerType: 2, source: 2, type, x: 195, y });

/** Waits for the screenshot and returns the color in the middle of its header. */
const colorOf = (player: Player) =>
  player.evaluate<string>(`(async () => {
    const image = ${SHOWN}.querySelector('img');
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 300, 10, 1, 1, 0, 0, 1, 1);
    const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
    return red > 100 ? 'red' : green > 100 ? 'green' : blue > 100 ? 'blue' : 'none';
  })()`);
const isColored = (player: Player, color: string) => eventually(async () => expect(await colorOf(player)).toBe(color));

/** Width and height of the shown screen, in pixels of the application. */
const sizeOf = (player: Player) =>
  player.evaluate<number[]>(`(({ width, height }) => [Number(width), Number(height)])(${SCREEN})`);

test.each([
  ['desktop', {}],
  ['phone', { width: 390 }],
])('screenshots of an iOS application play: %s', async (name, how) => {
  const [red, green, blue] = [await screenOf('Cart', '#c22'), await screenOf('Address', '#181'), await screenOf('Pay', '#22c')];
  const token = await recordAppAndShare(
    [
      [at(0, 4, { ...SIZE, href: 'CartViewController' }), at(0, 2, window(red))],
      [touch(900, 7), touch(2_400, 9)],
      [at(3_000, 2, window(green))],
      [touch(4_000, 7), touch(4_100, 9), at(5_000, 2, window(blue)), touch(6_000, 7), touch(6_100, 9)],
    ],
    'posthog-ios',
  );
  const { page, player, problems, requests, close } = await visit(token, how);
  await hasPicture(player);
  await isColored(player, 'red');
  expect(await sizeOf(player)).toEqual([390, 844]);
  expect(await player.locator('.address').textContent()).toBe('CartViewController');
  await keep(page, `ios-${name}`);
  await goTo(player, 1_500);
  await player.locator('.replayer-mouse.touch-device.touch-active').waitFor();
  await keep(page, `ios-touched-${name}`);
  await goTo(player, 3_500);
  await isColored(player, 'green');
  await goTo(player, 100);
  await isColored(player, 'red');
  // the element survives all full snapshots, which avoids flicker
  await player.getByRole('radio', { name: '4×' }).check();
  await player.evaluate(`window.first = ${SHOWN}.querySelector('img')`);
  await player.getByRole('button', { name: 'Play', exact: true }).click();
  await player.getByRole('button', { name: 'Play again' }).waitFor();
  await isColored(player, 'blue');
  expect(await player.evaluate(`window.first === ${SHOWN}.querySelector('img')`)).toBe(true);
  await keep(page, `ios-end-${name}`);
  for (const frame of [page, player]) expect(await isTooWide(frame)).toBe(false);
  expect(problems).toEqual([]);
  expect(requests.filter((url) => url.startsWith('http') && !url.startsWith(new URL(page.url()).origin))).toEqual([]);
  await close();
});

test('the size of the screen is right after a jump to a later time', async () => {
  const [red, blue] = [await screenOf('Cart', '#c22'), await screenOf('Pay', '#22c')];
  const part = (ms: number, ...events: object[]) => [at(ms, 5, { tag: 'padding', payload: '·'.repeat(400_000) }), ...events];
  const token = await recordAppAndShare(
    [
      part(0, at(0, 4, SIZE), at(1, 2, window(red)), touch(500, 7)),
      ...[1, 2, 3, 4].map((minute) =>
        part(minute * 60_000, at(minute * 60_000 + 1, 2, window(blue)), touch(minute * 60_000 + 500, 7)),
      ),
    ],
    'posthog-ios',
  );
  const { player, requests, close } = await visit(token);
  await isColored(player, 'red');
  await goTo(player, 4 * 60_000 + 200);
  await isColored(player, 'blue');
  expect(requests.some((url) => url.includes('start_blob_key=1'))).toBe(false);
  expect(await sizeOf(player)).toEqual([390, 844]);
  await close();
});

const ANDROID = { width: 411, height: 891 };
const place = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });
const label = (id: number, y: number, text: string, style: object = {}) => ({
  id,
  type: 'text',
  text,
  ...place(20, y, 370, 30),
  style: { color: '#222222', fontSize: 18, verticalAlign: 'center', ...style },
});
const field = (id: number, y: number, more: object) => ({
  id,
  type: 'input',
  disabled: false,
  ...place(20, y, 370, 48),
  style: {
    color: '#1a4d8f',
    borderWidth: 1,
    borderRadius: 8,
    borderColor: '#999999',
    paddingLeft: 12,
    paddingRight: 12,
    fontSize: 16,
  },
  ...more,
});
const form = (choices: object) => [
  { id: 10, type: 'rectangle', ...place(0, 24, 411, 64), style: { backgroundColor: '#1a4d8f' } },
  label(11, 40, 'Your order', { color: '#ffffff', fontSize: 22 }),
  field(12, 110, { inputType: 'text', value: 'Ada Lovelace' }),
  field(13, 170, { inputType: 'password', value: '********' }),
  field(14, 230, { inputType: 'select', value: 'Express', options: ['Express', 'Slow'] }),
  field(15, 290, { inputType: 'checkbox', label: 'Gift wrap', ...choices }),
  {
    id: 16,
    type: 'radio_group',
    ...place(20, 350, 370, 100),
    childWireframes: [
      field(17, 350, { inputType: 'radio', label: 'Card', checked: true }),
      field(18, 404, { inputType: 'radio', label: 'Invoice', checked: false, disabled: true }),
    ],
  },
  field(19, 464, { inputType: 'toggle', label: 'News', ...choices }),
  field(20, 524, { inputType: 'progress', value: 2, max: 5, style: { bar: 'horizontal', color: '#1a4d8f' } }),
  { ...field(21, 584, { inputType: 'progress', style: { bar: 'circular', color: '#1a4d8f' } }), ...place(20, 584, 48, 48) },
  {
    ...field(22, 584, { inputType: 'progress', value: 4, max: 5, style: { bar: 'rating', color: '#b8860b', fontSize: 24 } }),
    ...place(90, 584, 200, 48),
  },
  { id: 23, type: 'image', ...place(310, 584, 80, 48) },
  { id: 24, type: 'web_view', url: 'https://pay.example/?token=1', ...place(20, 644, 370, 80) },
  {
    ...field(25, 740, {
      inputType: 'button',
      value: 'Buy now',
      style: { color: '#ffffff', backgroundColor: '#1a4d8f', borderRadius: 24 },
    }),
  },
];

test.each([
  ['desktop', {}],
  ['phone', { width: 390, isDark: true }],
])('wireframes of an Android application play: %s', async (name, how) => {
  const root = (choices: object) => ({
    id: 1,
    type: 'div',
    ...place(0, 0, 411, 891),
    style: { backgroundColor: '#ffffff' },
    childWireframes: [
      { id: 2, type: 'status_bar', ...place(0, 0, 411, 24), style: { backgroundColor: '#123456' } },
      ...form(choices),
      { id: 3, type: 'navigation_bar', ...place(0, 851, 411, 40), style: { backgroundColor: '#000000' } },
    ],
  });
  const [, , , , , wrap, , news] = form({ checked: true });
  const token = await recordAppAndShare(
    [
      [
        at(0, 4, { ...ANDROID, href: 'OrderActivity' }),
        at(1, 2, { wireframes: [root({ checked: false })], initialOffset: { top: 0, left: 0 } }),
      ],
      [touch(1_000, 7, 300), touch(1_100, 9, 300)],
      [
        at(1_500, 3, {
          source: 0,
          updates: [
            { parentId: 1, wireframe: wrap },
            { parentId: 1, wireframe: news },
          ],
          adds: [{ parentId: 1, wireframe: label(30, 790, 'Thank you, Ada!') }],
          removes: [{ parentId: 1, id: 24 }],
        }),
      ],
      [at(3_000, 5, { tag: 'keyboard', payload: { open: true, height: 280 } }), touch(3_500, 7, 130), touch(3_600, 9, 130)],
      [at(4_500, 5, { tag: 'keyboard', payload: { open: false } }), touch(5_000, 7), touch(5_100, 9)],
    ],
    'posthog-android',
  );
  const { page, player, problems, close } = await visit(token, how);
  await hasPicture(player);
  const texts = () => player.evaluate<string>(`${SHOWN}.body.innerText`);
  const marked = () => player.evaluate<number>(`${SHOWN}.querySelectorAll('.mark.on').length`);
  expect(await sizeOf(player)).toEqual([411, 891]);
  await eventually(async () => expect(await texts()).toContain('Your order'));
  expect(await texts()).not.toContain('token');
  expect(await marked()).toBe(1);
  await keep(page, `android-${name}`);
  await goTo(player, 2_000);
  await eventually(async () => expect(await texts()).toContain('Thank you, Ada!'));
  expect(await texts()).not.toContain('Web page');
  expect(await marked()).toBe(3);
  const where = await player.evaluate<number[]>(
    `(({ x, y, width }) => [x, y, width])([...${SHOWN}.querySelectorAll('.text')].at(-1).getBoundingClientRect())`,
  );
  expect(where).toEqual([20, 790, 370]);
  await goTo(player, 3_200);
  await eventually(async () => expect(await texts()).toContain('Keyboard'));
  await keep(page, `android-keyboard-${name}`);
  await player.getByRole('button', { name: 'Play', exact: true }).click();
  await player.getByRole('button', { name: 'Play again' }).waitFor();
  expect(await texts()).not.toContain('Keyboard');
  expect(problems).toEqual([]);
  await close();
});
