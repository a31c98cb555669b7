import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lastDays, type PublicDashboards, SIGN_UPS, signUp, startPublicDashboards } from '../../testing/public-dashboards.js';
import type { TestService } from '../../testing/service.js';

let app: PublicDashboards;
let it: TestService;
let board: number;
let path: string;
let token: string;
beforeAll(async () => {
  app = await startPublicDashboards();
  it = app.it;
});
afterAll(() => it.close());

beforeEach(async () => {
  // each test has a minute of its own
  it.clock.advance(61_000);
  board = (await api('POST', 'dashboards/', { name: 'Numbers <b>', description: 'For "you"' })).id;
  await insight('Sign-ups', SIGN_UPS);
  path = `dashboards/${board}/sharing/`;
  token = (await api('PATCH', path, { enabled: true })).access_token;
});

const { api, send, visit }: Pick<PublicDashboards, 'api' | 'send' | 'visit'> = {
  api: (...call) => app.api(...call),
  send: (batch) => app.send(batch),
  visit: (...page) => app.visit(...page),
};
const insight = (name: string, query: object) => api('POST', 'insights/', { name, query, dashboards: [board] });

describe('a date range of the visitor', () => {
  const shown = async (query: string) => JSON.parse((await visit(`/shared/${token}.json${query}`)).body).tiles[0];

  test('counts only where the owner allows it, and only from the list', async () => {
    expect((await shown('?range=30d')).dates).toBe(lastDays(it, 7));
    expect((await visit(`/shared/${token}`)).body).not.toContain('aria-label="Date range"');
    await api('PATCH', path, { settings: { dateRange: true } });
    expect([(await shown('?range=30d')).dates, (await shown('?range=30d')).result.labels.length]).toEqual([lastDays(it, 30), 31]);
    for (const odd of [
      '',
      '?range=31d',
      '?range=-30d',
      '?range=all',
      '?range=30d&range=90d',
      '?range[]=30d',
      '?date_from=-90d',
      '?range=toString',
    ])
      expect([odd, (await shown(odd)).dates]).toEqual([odd, lastDays(it, 7)]);
    const { body } = await visit(`/shared/${token}?range=90d&refresh=600`);
    expect(body).toContain('<a href="?range=90d&amp;refresh=600" aria-current="true">90 days</a>');
    expect(body).toContain('<a href="?range=7d&amp;refresh=600">7 days</a>');
    expect(body).toContain(`${lastDays(it, 90)}, times in UTC`);
  });

  test('has an interval that gives neither thousands of points nor a single one', async () => {
    await insight('By the hour', { ...SIGN_UPS, interval: 'hour' });
    await insight('By the month', { ...SIGN_UPS, interval: 'month' });
    await api('PATCH', path, { settings: { dateRange: true } });
    for (const [range, ...lengths] of [
      ['7d', [100, 200], [7, 8]],
      ['12m', [52, 54], [12, 13]],
    ] as const) {
      const { tiles } = JSON.parse((await visit(`/shared/${token}.json?range=${range}`)).body);
      for (const [name, [least, most]] of [
        ['By the hour', lengths[0]],
        ['By the month', lengths[1]],
      ] as const) {
        const { length } = tiles.find((tile: { name: string }) => tile.name === name).result.labels;
        expect([range, name, length, length >= least && length <= most]).toEqual([range, name, length, true]);
      }
    }
  });

  test('is computed once in five minutes for all visitors', async () => {
    await api('PATCH', path, { settings: { dateRange: true } });
    const total = async () => (await shown('?range=90d')).result.series[0].total;
    const before = await total();
    await send([signUp(`later${before}`, 'paid')]);
    expect(await total()).toBe(before);
    it.clock.advance(5 * 60_000);
    expect(await total()).toBe(before + 1);
  });
});

describe('how the page is sent', () => {
  test('compressed as the browser accepts it', async () => {
    const { rawPayload: plain, headers } = await visit(`/shared/${token}`);
    expect([headers['vary'], headers['content-encoding']]).toEqual(['Accept-Encoding', undefined]);
    for (const [accepted, encoding, unpack, query] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync, '?refresh=100'],
      ['gzip', 'gzip', gunzipSync, '?refresh=200'],
    ] as const) {
      // pages that were not sent before
      for (const end of [query, '.json']) {
        const sent = await visit(`/shared/${token}${end}`, { 'accept-encoding': accepted });
        expect([sent.headers['content-encoding'], sent.statusCode]).toEqual([encoding, 200]);
        expect(unpack(sent.rawPayload).toString()).toContain(end === '.json' ? '"tiles"' : '</html>');
        if (end !== '.json') expect(sent.rawPayload.length).toBeLessThan(plain.length / 3);
      }
    }
  });

  test('the title before the tiles are computed', async () => {
    const address = await it.app.listen({ host: '127.0.0.1', port: 0 });
    const reader = (await fetch(`${address}/shared/${token}`)).body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('</header>')) text += (await reader?.read())?.value ?? '';
    await reader?.cancel();
    expect(text).toContain('<h1>Numbers &lt;b&gt;</h1>');
    expect(text).not.toContain('<svg class="v');
  });

  test('again and again for a screen, within bounds', async () => {
    for (const [query, seconds] of [
      ['', undefined],
      ['?refresh=300', '300'],
      ['?refresh=1', '60'],
      ['?refresh=999999999', '86400'],
      ['?refresh=5;url=https://evil.test', undefined],
      ['?refresh=-5', undefined],
      ['?refresh=', undefined],
    ] as const) {
      expect([query, (await visit(`/shared/${token}${query}`)).headers['refresh']]).toEqual([query, seconds]);
    }
  });

  test('with links to files only where the owner allows them', async () => {
    expect((await visit(`/shared/${token}`)).body).not.toContain('download');
    await api('PATCH', path, { settings: { downloads: true, dateRange: true } });
    const { body } = await visit(`/shared/${token}?range=7d`);
    expect(body).toContain(`<a href="/shared/${token}.png?range=7d" download>Picture (PNG)</a>`);
    expect(body).toContain(`<a href="/shared/${token}.json?range=7d" download>Numbers (JSON)</a>`);
  });
});

describe('the picture of a link', () => {
  const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

  test('has the size that chats show, with and without numbers', async () => {
    const plain = await visit(`/shared/${token}/preview.png`);
    expect([plain.statusCode, plain.headers['content-type'], sizeOf(plain.rawPayload)]).toEqual([200, 'image/png', [1200, 630]]);
    await insight('How many', { ...SIGN_UPS, trendsFilter: { display: 'BoldNumber' }, compareFilter: { compare: true } });
    const withNumber = await visit(`/shared/${token}/preview.png`);
    expect(sizeOf(withNumber.rawPayload)).toEqual([1200, 630]);
    expect(withNumber.rawPayload.equals(plain.rawPayload)).toBe(false);
    expect((await visit(`/shared/${token}`)).body).toContain('<meta property="og:image:width" content="1200">');
  });

  test('needs the password of the page', async () => {
    await api('PATCH', path, { password_required: true });
    expect((await visit(`/shared/${token}/preview.png`)).statusCode).toBe(401);
  });
});
