import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createScheduler } from '../../system/index.js';
import { ensureDatabase } from './cluster.js';

/** Answers of the protocol: the login is accepted, and the session is ready for a query. */
const ACCEPTED = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
/** Answer of a server that is starting. */
const STARTING = Buffer.concat([Buffer.from([0x45, 0, 0, 0, 35]), Buffer.from('SFATAL\0C57P03\0Mit is starting\0\0', 'latin1')]);

let server: Server;
let sockets: Socket[];
let url: string;
/** Answers to the logins of the next sessions, which then hang; the others are accepted. */
let refusals: Buffer[];
/** Resolves when a session has got its first query, which it never answers. */
let queried: Promise<void>;
beforeEach(async () => {
  sockets = [];
  refusals = [];
  queried = new Promise((resolve) => {
    // a process that hangs closes nothing, also when its peer does
    server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.once('data', () => {
        const refusal = refusals.shift();
        socket.write(refusal ?? ACCEPTED);
        if (!refusal) socket.once('data', () => resolve());
      });
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  url = `postgres://tidemark@127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/postgres`;
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((closed) => server.close(closed));
});

test('a session that hangs is closed when no caller waits for it any more', async () => {
  const stop = new AbortController();
  const ensured = ensureDatabase(url, createScheduler(), stop.signal);
  await queried;
  stop.abort();
  await expect(ensured).rejects.toThrow('Connection terminated');
});

test('a session that hangs after it has refused a connection does not keep the next attempt waiting', async () => {
  refusals = [STARTING, STARTING];
  const stop = new AbortController();
  const ensured = ensureDatabase(url, createScheduler(), stop.signal);
  await queried;
  expect(sockets).toHaveLength(3);
  stop.abort();
  await expect(ensured).rejects.toThrow('Connection terminated');
});
