import { connect, type Socket } from 'node:net';
import { fastify } from 'fastify';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readBody } from './body.js';
import { installErrorHandler } from './error-handler.js';
import { limitBodyMemory } from './memory-budget.js';

const MIB = 1024 * 1024;
const app = fastify();
let port: number;
/** Bytes of bodies that have passed the budget. */
let admitted = 0;
beforeAll(async () => {
  limitBodyMemory(app, 10 * MIB);
  app.addHook('preParsing', (_request, _reply, payload, done) => {
    payload.on('data', (chunk: Buffer) => {
      admitted += chunk.length;
    });
    done(null, payload);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 4 * MIB }, (_request, body, done) => done(null, body));
  installErrorHandler(app);
  const length = async (request: Parameters<typeof readBody>[0]) => ({ length: JSON.stringify(await readBody(request)).length });
  app.post('/api', { config: { scope: null } }, length);
  await app.listen({ port: 0 });
  port = Number(new URL(app.listeningOrigin).port);
});
afterAll(() => app.close());

const sockets: Socket[] = [];
const closeUploads = () => {
  for (const socket of sockets.splice(0)) socket.destroy();
};
afterEach(closeUploads);

/** Sends all but the last byte of a body of 3 MiB, keeps the connection, and waits until the server has read what was sent. */
async function openUpload(): Promise<void> {
  const expected = admitted + 3 * MIB - 1;
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {}).resume();
  socket.write(`POST /api HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${3 * MIB}\r\n\r\n`);
  socket.write(Buffer.alloc(3 * MIB - 1, ' '));
  await expect.poll(() => admitted).toBe(expected);
}

const post = async (body: string) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}/api`, { method: 'POST', body, headers });
  return [answer.status, await answer.json()];
};
const long = JSON.stringify('x'.repeat(3 * MIB));
const refused = [503, expect.objectContaining({ code: 'unavailable' })];

test('long unfinished bodies exhaust the budget, and short ones are still read', async () => {
  expect(await post(long)).toEqual([200, { length: long.length }]);
  for (let i = 0; i < 3; i++) await openUpload();
  await expect.poll(() => post(long)).toEqual(refused);
  expect(await post('"short"')).toEqual([200, { length: 7 }]);
  closeUploads();
  await expect.poll(() => post(long)).toEqual([200, { length: long.length }]);
});

test('processed and refused bodies release their memory', async () => {
  for (let i = 0; i < 10; i++) expect(await post(long)).toEqual([200, { length: long.length }]);
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(long)));
  expect(answers.filter(([status]) => status !== 200 && status !== 503)).toEqual([]);
  await expect.poll(() => post(long)).toEqual([200, { length: long.length }]);
});
