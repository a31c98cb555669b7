import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouseCluster, startClickHouseCluster, whyNoReplicas } from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { createAuthority } from '../../testing/certificates.js';
import { eventRow } from '../../testing/events-contract/index.js';
import { createScheduler } from '../system/index.js';
import { openEvents } from './index.js';

/*
 * Nodes that reach each other by TLS and trust one private authority, as deploy/cluster/clickhouse/tls.xml has it. ClickHouse's own side of a listener is not
 * in the library of the test servers: a relay decrypts before each node.
 */
const reason = whyNoReplicas();
if (reason) console.log(`The test of TLS between replicas is skipped. ${reason}`);

const HOSTS = [1, 2, 3, 4].flatMap((number) => [`127.0.0.${number}`, `127.0.1.${number}`]);
const PASSWORD = 'a long password';
const deployed = (file: string) => readFile(new URL(`../../../../../deploy/cluster/clickhouse/${file}`, import.meta.url), 'utf8');
const authority = createAuthority('The authority');

let folder: string;
const clusters: ClickHouseCluster[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-tls-'));
  await writeFile(join(folder, 'ca.pem'), authority.cert);
  await writeFile(join(folder, 'wrong.pem'), createAuthority('Another one').cert);
});
afterEach(() => Promise.all(clusters.splice(0).map((cluster) => cluster.close())));
afterAll(() => rm(folder, { recursive: true }));

/** @param trusted file of the authority that the nodes trust */
async function start(replicas: number, trusted: string): Promise<ClickHouseCluster> {
  const { cert, key } = authority.issue(...HOSTS);
  await writeFile(join(folder, 'node.pem'), cert);
  await writeFile(join(folder, 'node.key'), key);
  const [openSsl = ''] = (await deployed('tls.xml')).match(/<openSSL>[\s\S]*<\/openSSL>/) ?? [];
  const [user = ''] = (await deployed('users.xml')).match(/<tidemark>[\s\S]*<\/tidemark>/) ?? [];
  const config = openSsl.replaceAll('/etc/tidemark-tls', folder).replaceAll('ca.pem', trusted);
  const cluster = await startClickHouseCluster({
    shards: 2,
    replicas,
    memory: 768 * 1024 * 1024,
    secret: 'of the nodes',
    tls: { cert, key },
    config,
    users: `<default><password/><networks><ip>127.0.0.0/8</ip></networks><profile>default</profile><quota>default</quota></default>${user}`,
    env: { CLICKHOUSE_PASSWORD: PASSWORD },
  });
  clusters.push(cluster);
  return cluster;
}

const open = ({ httpsUrl, name }: ClickHouseCluster, password: string, ca: string | null) => {
  const url = new URL(`${httpsUrl}/tidemark`);
  [url.username, url.password] = ['tidemark', encodeURIComponent(password)];
  return openEvents(
    loadConfig({
      CLICKHOUSE_URL: url.href,
      CLICKHOUSE_CLUSTER: name,
      ...(ca ? { CLICKHOUSE_CA_FILE: join(folder, ca) } : {}),
    }),
    { log: pino({ level: 'silent' }), scheduler: createScheduler() },
  );
};

test('rows reach shards and replicas by TLS, with a password and a private authority', async () => {
  const cluster = await start(reason ? 1 : 2, 'ca.pem');
  const store = await open(cluster, PASSWORD, 'ca.pem');
  const rows = Array.from({ length: 100 }, (_, number) => eventRow({ project_id: 1, distinct_id: `id ${number}` }));
  await store.insert('events', rows, { token: 'a' });
  expect((await store.query({ sql: 'SELECT count() AS n FROM events' })).rows).toEqual([{ n: 100 }]);
  const counts = () =>
    Promise.all(
      cluster.nodes.map(async ({ url }) => {
        const answer = await fetch(url, { method: 'POST', body: 'SELECT count() FROM tidemark_local.events' });
        return Number(await answer.text());
      }),
    );
  await expect
    .poll(async () => {
      const all = await counts();
      // each replica of a shard has its rows
      return reason ? all : [(all[0] ?? 0) + (all[2] ?? 0), (all[1] ?? 0) + (all[3] ?? 0)];
    })
    .toEqual(reason ? [expect.any(Number), expect.any(Number)] : [100, 100]);
  await store.close();
  await expect(open(cluster, 'wrong', 'ca.pem')).rejects.toMatchObject({
    message: expect.stringMatching(/refuses to prepare the database tidemark: AUTHENTICATION_FAILED/),
  });
  await expect(open(cluster, PASSWORD, 'wrong.pem')).rejects.toMatchObject({
    message: expect.stringMatching(/is not trusted: its certificate is not signed by a known authority \(CLICKHOUSE_CA_FILE/),
  });
});

test('nodes that do not trust each other stop the start with a sentence', async () => {
  const cluster = await start(1, 'wrong.pem');
  await expect(open(cluster, PASSWORD, 'ca.pem')).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringMatching(/cannot read from all shards of "tests" \([A-Z_]+\): let all nodes reach each other/),
  });
});
