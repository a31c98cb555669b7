import { gzipSync } from 'node:zlib';
import { processorMs } from '@tidemark/testkit';
import { fastify } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { createScheduler } from '../adapters/system/index.js';
import { keepBodiesRaw, readBody } from './body.js';
import { installErrorHandler } from './error-handler.js';

const app = fastify();
keepBodiesRaw(app, createScheduler());
installErrorHandler(app);
app.post('/echo', async (request) => ({ body: await readBody(request) }));
afterAll(() => app.close());

const post = async (payload: string | Buffer, type?: string) => {
  const answer = await app.inject({ method: 'POST', url: '/echo', payload, headers: type ? { 'content-type': type } : {} });
  return { status: answer.statusCode, ...answer.json() };
};

test('JSON, forms and multipart forms have the same effect', async () => {
  const boundary = 'x'.repeat(20);
  const part = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const expected = { name: 'ä b', tags: ['1', '2'] };
  expect((await post(JSON.stringify(expected), 'application/json; charset=utf-8')).body).toEqual(expected);
  expect((await post('name=%C3%A4+b&tags=1&tags=2', 'application/x-www-form-urlencoded')).body).toEqual(expected);
  const multipart = `${part('name', 'ä b')}${part('tags[]', '1')}${part('tags[]', '2')}--${boundary}--\r\n`;
  expect((await post(multipart, `multipart/form-data; boundary=${boundary}`)).body).toEqual(expected);
});

test('a compressed body gets an error that names the encoding', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const answer = await app.inject({ method: 'POST', url: '/echo', payload: gzipSync('{"name":"n"}'), headers });
  expect([answer.statusCode, answer.json().detail]).toEqual([415, 'Unsupported content encoding "gzip" in request.']);
  const plain = await app.inject({
    method: 'POST',
    url: '/echo',
    payload: '{"name":"n"}',
    headers: { ...headers, 'content-encoding': 'identity' },
  });
  expect(plain.json().body).toEqual({ name: 'n' });
});

test('a truncated multipart form, also within a file, is refused without ending the process', async () => {
  const boundary = 'x'.repeat(20);
  const whole = [
    `--${boundary}\r\nContent-Disposition: form-data; name="name"\r\n\r\nä b\r\n`,
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\na,b\r\n`,
    `--${boundary}--`,
  ].join('');
  const type = `multipart/form-data; boundary=${boundary}`;
  expect((await post(whole, type)).status).toBe(200);
  for (let length = 1; length < whole.length; length++) {
    const { status, code } = await post(whole.slice(0, length), type);
    expect([length, status, code]).toEqual([length, 400, 'parse_error']);
  }
  expect((await post(whole, type)).status).toBe(200);
});

test('parts of a multipart form without a name, or of another kind, are skipped, however long', async () => {
  const part = (disposition: string, value = 'x'.repeat(70_000)) =>
    `--b\r\nContent-Disposition: ${disposition}\r\n\r\n${value}\r\n`;
  const others = [
    'form-data',
    'form-data; filename="f"',
    'form-data; name=""',
    'attachment; name="b"',
    'attachment; filename="f"',
  ];
  const body = [part('form-data; name="a"', 'x'), ...others.map((disposition) => part(disposition))].join('');
  expect(await post(`${body}--b--`, 'multipart/form-data; boundary=b')).toEqual({ status: 200, body: { a: 'x' } });
});

describe.each<[string, string, (count: number) => string]>([
  ['urlencoded', 'application/x-www-form-urlencoded', (count) => 'a=1&'.repeat(count - 1).concat('a=1')],
  [
    'multipart',
    'multipart/form-data; boundary=b',
    (count) => '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(count).concat('--b--'),
  ],
])('a form: %s', (_name, type, form) => {
  test('it may have a thousand fields', async () => {
    const { status, body } = await post(form(1_000), type);
    expect([status, body.a.length]).toEqual([200, 1_000]);
  });

  test.each([1_001, 120_000])('one with %i fields is refused without reading on', async (count) => {
    const payload = form(count);
    const took = await processorMs(async () =>
      expect(await post(payload, type)).toMatchObject({
        status: 400,
        code: 'parse_error',
        detail: expect.stringContaining('1000 fields'),
      }),
    );
    // to read 120,000 parts took 3,600 ms
    expect(took).toBeLessThan(1000);
  });
});

test('a field of a multipart form may have 1 MiB, a file the whole body', async () => {
  const most = 1024 * 1024;
  const type = 'multipart/form-data; boundary=b';
  const form = (length: number, more = '') =>
    `--b\r\nContent-Disposition: form-data; name="a"${more}\r\n\r\n${'x'.repeat(length)}\r\n--b--`;
  expect((await post(form(most), type)).body.a.length).toBe(most);
  expect(await post(form(most + 1), type)).toMatchObject({ status: 413, code: 'request_too_large' });
  expect(await post(form(15 * most), type)).toMatchObject({ status: 413, code: 'request_too_large' });
  expect((await post(form(15 * most, '; filename="f"'), type)).status).toBe(200);
});

describe('JSON of many values', () => {
  const list = (count: number, item: string) => `[${`${item},`.repeat(count - 1)}${item}]`;

  test.each([
    ['plain values', 150_000 - 3, '1'],
    ['texts, whatever stands in them', 70_000, '",[{:\\\\\\""'],
    ['lists', 29_000, '[]'],
    ['objects', 14_000, '{"a":1}'],
  ])('%s are parsed', async (_name, count, item) => {
    const { status, body } = await post(list(count, item), 'application/json');
    expect([status, body.length]).toEqual([200, count]);
  });

  test.each([
    ['plain values', 2_000_000, '1'],
    ['lists', 1_500_000, '[]'],
    ['objects', 600_000, '{"a":1}'],
    ['members', 800_000, '{"a":1}'.slice(1, -1)],
    ['beginnings', 2_500_000, '['],
  ])('too many %s are refused without parsing', async (_name, count, item) => {
    const payload = list(count, item);
    const took = await processorMs(async () =>
      expect(await post(payload, 'application/json')).toMatchObject({ status: 413, code: 'request_too_large' }),
    );
    // to read 1,500,000 lists took 950 ms
    expect(took).toBeLessThan(1500);
  });
});

test.each([
  ['application/json', 5],
  ['application/x-www-form-urlencoded', 1],
])('%s longer than %s MB is refused without parsing', async (type, megabytes) => {
  const most = megabytes * 1024 * 1024;
  const body = (length: number) => (type === 'application/json' ? `"${'a'.repeat(length - 2)}"` : `a=${'a'.repeat(length - 2)}`);
  expect((await post(body(most), type)).status).toBe(200);
  const detail = `Request body is longer than ${most} bytes.`;
  expect(await post(body(most + 1), type)).toMatchObject({ status: 413, code: 'request_too_large', detail });
});

test('an empty body is an empty object', async () => {
  expect((await post('')).body).toEqual({});
});

test.each([
  ['{"a":', 'application/json', 400, 'parse_error'],
  [Buffer.from([0x22, 0xff, 0x22]), 'application/json', 400, 'parse_error'],
  ['hello', 'text/plain', 415, 'unsupported_media_type'],
  ['--nothing', 'multipart/form-data', 400, 'parse_error'],
  ['a'.repeat(21 * 1024 * 1024), 'application/json', 413, 'request_too_large'],
])('%#: refused with the standard error body', async (payload, type, status, code) => {
  expect(await post(payload, type)).toMatchObject({ status, code, attr: null });
});

test('a form cannot reach the prototype', async () => {
  await post('__proto__=1&constructor=2', 'application/x-www-form-urlencoded');
  expect(({} as Record<string, unknown>)['1']).toBeUndefined();
});
