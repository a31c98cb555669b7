import { fastify } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { acceptRawBodies, readBody } from './body.js';
import { handleErrors } from './error-handler.js';

const app = fastify();
acceptRawBodies(app);
handleErrors(app);
app.post('/echo', async (request) => ({ body: await readBody(request) }));
afterAll(() => app.close());

const post = async (payload: string | Buffer, type?: string) => {
  const answer = await app.inject({ method: 'POST', url: '/echo', payload, headers: type ? { 'content-type': type } : {} });
  return { status: answer.statusCode, ...answer.json() };
};

test('JSON, forms and multipart forms say the same thing', async () => {
  const boundary = 'x'.repeat(20);
  const part = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const expected = { name: 'ä b', tags: ['1', '2'] };
  expect((await post(JSON.stringify(expected), 'application/json; charset=utf-8')).body).toEqual(expected);
  expect((await post('name=%C3%A4+b&tags=1&tags=2', 'application/x-www-form-urlencoded')).body).toEqual(expected);
  const multipart = `${part('name', 'ä b')}${part('tags[]', '1')}${part('tags[]', '2')}--${boundary}--\r\n`;
  expect((await post(multipart, `multipart/form-data; boundary=${boundary}`)).body).toEqual(expected);
});

test('a multipart form that breaks off anywhere, also within a file, is refused and ends nothing', async () => {
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

test('parts of a multipart form without a name, or of another kind, are passed over, however long', async () => {
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
  test('may have a thousand fields', async () => {
    const { status, body } = await post(form(1_000), type);
    expect([status, body.a.length]).toEqual([200, 1_000]);
  });

  test.each([1_001, 120_000])('of %i fields is refused and not read on', async (count) => {
    const payload = form(count);
    const begun = process.cpuUsage();
    expect(await post(payload, type)).toMatchObject({
      status: 400,
      code: 'parse_error',
      detail: expect.stringContaining('1000 fields'),
    });
    const { user, system } = process.cpuUsage(begun);
    // to read 120,000 parts took 3,600 ms
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});

test('no body is an empty object', async () => {
  expect((await post('')).body).toEqual({});
});

test.each([
  ['{"a":', 'application/json', 400, 'parse_error'],
  [Buffer.from([0x22, 0xff, 0x22]), 'application/json', 400, 'parse_error'],
  ['hello', 'text/plain', 415, 'unsupported_media_type'],
  ['--nothing', 'multipart/form-data', 400, 'parse_error'],
  ['a'.repeat(21 * 1024 * 1024), 'application/json', 413, 'request_too_large'],
])('%#: refused in the one shape', async (payload, type, status, code) => {
  expect(await post(payload, type)).toMatchObject({ status, code, attr: null });
});

test('a form cannot reach the prototype', async () => {
  await post('__proto__=1&constructor=2', 'application/x-www-form-urlencoded');
  expect(({} as Record<string, unknown>)['1']).toBeUndefined();
});
