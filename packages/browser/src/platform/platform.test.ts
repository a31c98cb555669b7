import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { memory } from '../storage/index.js';
import { VERSION } from '../version.js';
import { isBot } from './bots.js';
import { pagelessPlatform } from './browser-platform.js';
import { describeUserAgent } from './user-agent.js';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';

test.each([
  [CHROME, 'Chrome', 131, 'Linux', undefined, 'Desktop'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.2.0.0',
    'Microsoft Edge',
    131.2,
    'Windows',
    '10.0',
    'Desktop',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
    'Mobile Safari',
    17.4,
    'iOS',
    '17.4.1',
    'Mobile',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0',
    'Firefox',
    132,
    'Mac OS X',
    '10.15',
    'Desktop',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Safari/537.36',
    'Samsung Internet',
    25,
    'Android',
    '14',
    'Tablet',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/120.0.6099.119 Mobile/15E148 Safari/604.1',
    'Chrome iOS',
    120,
    'iOS',
    '16.6',
    'Tablet',
  ],
  ['', undefined, undefined, undefined, undefined, 'Desktop'],
])('%s', (text, browser, version, system, systemVersion, device) => {
  expect(describeUserAgent(text)).toMatchObject({
    $browser: browser,
    $browser_version: version,
    $os: system,
    $os_version: systemVersion,
    $device_type: device,
  });
});

test('an iPad that claims to be a Mac is recognized by its touch points', () => {
  const text =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15';
  expect(describeUserAgent(text, 5)).toMatchObject({ $device_type: 'Tablet' });
  expect(describeUserAgent(text, 0)).toMatchObject({ $device_type: 'Desktop' });
});

test.each([
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', true],
  ['Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/131.0.0.0', true],
  [CHROME, false],
  ['Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/120 Mobile Safari/537.36', false],
])('%s is an automated browser: %s', (userAgent, program) => {
  expect(isBot({ userAgent, webdriver: false })).toBe(program);
});

test('browsers under WebDriver, and those that options name, are automated', () => {
  expect(isBot({ userAgent: CHROME, webdriver: true })).toBe(true);
  expect(isBot({ userAgent: `${CHROME} Probe/1`, webdriver: false }, ['probe'])).toBe(true);
});

test('the library version is that of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(version);
});

test('a timer of a month, or of infinity, does not fire at once', async () => {
  const { timers } = pagelessPlatform(memory());
  const ran: string[] = [];
  const long = [30 * 86_400_000, Number.POSITIVE_INFINITY].map((ms) => timers.set(() => ran.push('long'), ms));
  await new Promise<void>((resolve) => {
    timers.set(() => {
      ran.push('short');
      resolve();
    }, 50);
  });
  for (const handle of long) timers.clear(handle);
  expect(ran).toEqual(['short']);
});
