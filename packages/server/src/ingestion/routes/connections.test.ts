import { type AddressInfo, connect, type Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { createDecode, createZstd, leaveBodiesUnread, readBytes } from '../../http/sdk/index.js';
import { manualScheduler } from '../../testing/manual-scheduler.js';

let app: FastifyInstance;
afterEach(() => app.close());

/** A server that reads bodies of at most 1000 bytes, and lists how each reading ended. Time passes only when a test moves it. */
async function listen() {
  const scheduler = manualScheduler();
  const timers = vi.spyOn(scheduler, 'after');
  const decode = createDecode({ scheduler, zstd: createZstd() }, 2000);
  const ended: string[] = [];
  app = fastify();
  leaveBodiesUnread(app);
  app.post('/', (request) =>
    decode(async ({ reserve }) => {
      try {
        const body = await readBytes(request, 1000, { reserve, scheduler, patienceMs: 20_000 });
        ended.push(`read ${body.length}`);
      } catch (error) {
        ended.push(error instanceof Error ? error.message : 'unknown');
        throw error;
      }
      return 'ok';
    }),
  );
  app.setErrorHandler<Error & { status?: number }>((error, _request, reply) =>
    reply.code(error.status ?? 500).send(error.message),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const freeMemory = async () => {
    await decode(async ({ reserve }) => reserve(2000));
    return true;
  };
  /** Waits for the first pieces of so many bodies. The timer of a body starts with its reading, and again with each piece. */
  const piecesOf = (bodies: number) => vi.waitFor(() => expect(timers.mock.calls.length).toBe(2 * bodies), 10_000);
  return { open: () => connect(port, '127.0.0.1'), ended, room: freeMemory, piecesOf, scheduler };
}

const head = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
const answer = (socket: Socket) => new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));

test('a body in many packets is accepted', async () => {
  const { open, ended, room: freeMemory, piecesOf } = await listen();
  const socket = open();
  socket.write(`${head(10)}01234`);
  await piecesOf(1);
  socket.write('56789');
  expect(await answer(socket)).toMatch(/^HTTP\/1.1 200/);
  expect(ended).toEqual(['read 10']);
  expect(await freeMemory()).toBe(true);
  socket.destroy();
});

test('a client that stops sending gets 408', async () => {
  const { open, ended, room: freeMemory, piecesOf, scheduler } = await listen();
  const socket = open();
  socket.write(`${head(10)}01234`);
  await piecesOf(1);
  await scheduler.advance(19_999);
  expect(ended).toEqual([]);
  await scheduler.advance(1);
  expect(await answer(socket)).toMatch(/^HTTP\/1.1 408/);
  expect(await freeMemory()).toBe(true);
  socket.destroy();
});

test('a client that disconnects leaves nothing behind', async () => {
  const { open, ended, room: freeMemory, piecesOf } = await listen();
  const socket = open();
  socket.write(`${head(1000)}${'x'.repeat(900)}`);
  await piecesOf(1);
  socket.destroy();
  await expect.poll(() => ended, { timeout: 60_000 }).toEqual(['The request body did not arrive in time.']);
  expect(await freeMemory()).toBe(true);
});

test('a client that sends too much can finish sending and reads the reason', async () => {
  const { open, ended, room: freeMemory } = await listen();
  const socket = open();
  socket.write(`${head(5_000_000)}${'x'.repeat(5_000_000)}`);
  expect(await answer(socket)).toMatch(/^HTTP\/1.1 413/);
  expect(ended).toEqual(['The payload is too large.']);
  expect(await freeMemory()).toBe(true);
  socket.destroy();
});

test('without memory for its body a request is refused for now', async () => {
  const { open, piecesOf } = await listen();
  const slow = [open(), open()];
  for (const socket of slow) socket.write(`${head(1000)}${'x'.repeat(999)}`);
  await piecesOf(2);
  const late = open();
  late.write(`${head(10)}0123456789`);
  expect(await answer(late)).toMatch(/^HTTP\/1.1 503/);
  for (const socket of [...slow, late]) socket.destroy();
});
