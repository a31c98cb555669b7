import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { type ClickHouseServer, startClickHouseServer } from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { createAuthority } from '../../testing/certificates.js';
import { eventRow } from '../../testing/events-contract/index.js';
import { createScheduler } from '../system/index.js';
import { openEvents } from './index.js';

let folder: string;
let clickhouse: ClickHouseServer;
const proxies: Server[] = [];
const authority = createAuthority('The authority');
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-tls-'));
  await writeFile(file('ca.pem'), authority.cert);
  await writeFile(file('wrong.pem'), createAuthority('The authority').cert);
  clickhouse = await startClickHouseServer();
});
afterAll(async () => {
  for (const proxy of proxies) proxy.close();
  await clickhouse?.close();
  await rm(folder, { recursive: true });
});

/** Puts a proxy that decrypts before the server. @returns the address of a database through it */
async function encrypted(host: string): Promise<string> {
  const proxy = createServer(authority.issue(host), (near) => {
    const far = connect(clickhouse.httpPort, '127.0.0.1');
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  proxies.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(proxy.address() as AddressInfo).port}/encrypted`;
}

const open = (address: string, ca: string | null) =>
  openEvents(loadConfig({ CLICKHOUSE_URL: address, ...(ca ? { CLICKHOUSE_CA_FILE: file(ca) } : {}) }), {
    log: pino({ level: 'silent' }),
    scheduler: createScheduler(),
  });

test('a ClickHouse with the authority of CLICKHOUSE_CA_FILE is used', async () => {
  const store = await open(await encrypted('127.0.0.1'), 'ca.pem');
  await store.insert('events', [eventRow()], { token: 'a' });
  expect((await store.query({ sql: 'SELECT count() AS n FROM events' })).rows).toEqual([{ n: 1 }]);
  expect(store.acceptsInserts()).toBe(true);
  await store.close();
});

test.each<[string, string, string | null, string]>([
  ['of another authority', '127.0.0.1', 'wrong.pem', 'its certificate is not signed by a known authority'],
  ['of an authority that is not named', '127.0.0.1', null, 'its certificate is not signed by a known authority'],
  ['for another host name', 'events.example.com', 'ca.pem', 'its certificate is for another host name'],
])('one with a certificate %s is refused at once, in one sentence', async (_fault, host, ca, reason) => {
  const address = await encrypted(host);
  const began = performance.now();
  await expect(open(address, ca)).rejects.toMatchObject({
    name: 'EventsUnavailable',
    message: `CLICKHOUSE_URL: ${new URL(address).origin} is not trusted: ${reason} (CLICKHOUSE_CA_FILE names the file of the authority).`,
  });
  // a server that is away is waited for during 30 s
  expect(performance.now() - began).toBeLessThan(25_000);
});
