import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/service.js';

let service: TestService;
let port: number;
beforeAll(async () => {
  service = await startTestService();
  port = Number(new URL(await service.app.listen({ port: 0, host: '127.0.0.1' })).port);
});
afterAll(() => service.close());

test.each<[what: string, sent: string, status: string, code: string]>([
  ['an address too long', `GET /api/projects/?q=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, '431', 'headers_too_large'],
  ['a method that there is not', 'FETCH /api/projects/ HTTP/1.1\r\nHost: a\r\n\r\n', '400', 'parse_error'],
  ['no HTTP', 'EHLO example.com\r\n\r\n', '400', 'parse_error'],
])('spec of refusals (2.1): %s has the standard error body', async (_, sent, status, code) => {
  const socket = connect(port, '127.0.0.1');
  socket.write(sent);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*content-type: application/json; charset=utf-8`, 'is'));
  expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBe(Buffer.byteLength(body));
  expect(JSON.parse(body)).toEqual({ type: 'invalid_request', code, detail: expect.any(String), attr: null });
});
