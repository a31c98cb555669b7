import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ClickHouseCluster,
  eventMaker,
  type Service,
  startClickHouseCluster,
  startClickHouseServer,
  startService,
} from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type PostgresServer, startPostgresServer } from '../testing/postgres-server.js';
import { runCommand } from '../testing/run-command.js';
import { type S3Server, startS3Server } from '../testing/s3-server.js';

let home: string;
let service: Service;
let postgres: PostgresServer;
let clickhouse: Awaited<ReturnType<typeof startClickHouseServer>>;
let cluster: ClickHouseCluster;
let s3: S3Server;
/** The settings of empty servers, by their name. */
let servers: Record<string, string>;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-move-'));
  [service, postgres, clickhouse, cluster, s3] = await Promise.all([
    startService(),
    startPostgresServer(),
    startClickHouseServer(),
    startClickHouseCluster({ shards: 2 }),
    startS3Server(),
  ]);
  servers = {
    TIDEMARK_DATA: join(home, 'servers'),
    DATABASE_URL: postgres.url(),
    CLICKHOUSE_URL: `${clickhouse.url}/moved`,
    TIDEMARK_BLOBS: 's3://tidemark/moved',
    TIDEMARK_S3_ENDPOINT: s3.settings.endpoint ?? '',
    TIDEMARK_S3_ACCESS_KEY: 'S3RVER',
    TIDEMARK_S3_SECRET_KEY: 'S3RVER',
  };
});
afterAll(async () => {
  await service?.close();
  await Promise.all([postgres?.close(), clickhouse?.close(), cluster?.close(), s3?.close()]);
  await rm(home, { recursive: true, force: true });
});

const make = eventMaker(Math.floor(Math.random() * 1e9));

async function capture({ url, account }: Service, count: number): Promise<void> {
  const batch = Array.from({ length: count }, (_, i) =>
    make({ distinct_id: `person ${i % 7}`, timestamp: new Date(Date.now() - i * 3_600_000).toISOString() }),
  );
  const response = await fetch(`${url}/batch/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: account.projectKey, batch }),
  });
  expect(response.status).toBe(200);
}

/** A file with settings. */
async function settingsFile(name: string, env: Record<string, string>): Promise<string> {
  const path = join(home, name);
  await writeFile(
    path,
    Object.entries(env)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
  return path;
}

/** What people see of a service: events, dashboards, flags. */
async function seen(one: Service) {
  const list = async (path: string) =>
    ((await one.get(`/api/projects/@current/${path}/`)).body as { results: { name: string }[] }).results.map(({ name }) => name);
  return { uuids: (await one.storedUuids()).sort(), dashboards: await list('dashboards'), flags: await list('feature_flags') };
}

test('embedded stores move to servers, on to a cluster and back, and a service that runs is refused', async () => {
  await capture(service, 100);
  await service.post('/api/projects/@current/dashboards/', { name: 'Moved' });
  await service.post('/api/projects/@current/feature_flags/', { key: 'moved', name: 'moved', active: true });
  const embedded = { TIDEMARK_DATA: service.dataDir };
  const toServers = await settingsFile('servers.env', servers);
  expect(await runCommand(['move', toServers], embedded)).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^Another Tidemark is running on .*: stop it first/),
  });

  // a backup, restored into the servers before, shortens the stop
  const folder = join(home, 'backup');
  expect(await runCommand(['backup', folder], embedded)).toMatchObject({ code: 0 });
  expect(await runCommand(['restore', folder, '--for-move'], servers)).toMatchObject({
    code: 0,
    output: expect.stringContaining('Go on with "tidemark move"'),
  });
  await capture(service, 10);
  const wanted = await seen(service);
  await service.stop();
  expect(await runCommand(['move', toServers], embedded)).toMatchObject({
    code: 0,
    errors: '',
    output: expect.stringContaining(`Moved and compared: ${wanted.uuids.length} events`),
  });
  const onServers = await startService({ dataDir: servers['TIDEMARK_DATA'] ?? '', env: servers, account: service.account });
  expect(await seen(onServers)).toEqual(wanted);
  // also of another server than the one whose data directory the command has
  const never = await settingsFile('never.env', { TIDEMARK_DATA: join(home, 'never') });
  expect(await runCommand(['move', never], { ...servers, TIDEMARK_DATA: join(home, 'beside') })).toMatchObject({
    code: 1,
    errors: expect.stringMatching(
      /^A Tidemark at (127\.0\.0\.1|this machine) uses the PostgreSQL database: stop it first, or end its session \(\d+\) if /,
    ),
  });
  await onServers.stop();
  expect(await runCommand(['move', toServers], embedded)).toMatchObject({
    code: 1,
    errors: 'The PostgreSQL database has data of Tidemark: name an empty one.\n',
  });

  const back = { TIDEMARK_DATA: join(home, 'back') };
  expect(await runCommand(['move', await settingsFile('back.env', back)], servers)).toMatchObject({ code: 0, errors: '' });
  const onEmbedded = await startService({ dataDir: back.TIDEMARK_DATA, account: service.account });
  expect(await seen(onEmbedded)).toEqual(wanted);
  await onEmbedded.stop();

  const shards = {
    TIDEMARK_DATA: join(home, 'shards'),
    CLICKHOUSE_URL: `${cluster.url}/moved`,
    CLICKHOUSE_CLUSTER: cluster.name,
  };
  expect(await runCommand(['move', await settingsFile('shards.env', shards)], back)).toMatchObject({ code: 0, errors: '' });
  const onCluster = await startService({ dataDir: shards.TIDEMARK_DATA, env: shards, account: service.account });
  expect(await seen(onCluster)).toEqual(wanted);
  await onCluster.stop();
});

test('servers are backed up into a bucket, beside the service or without it', async () => {
  const target = 's3://tidemark/backups';
  const backup = await runCommand(['backup', target, '--keep', '2'], servers);
  expect(backup).toMatchObject({ code: 0, errors: '', output: expect.stringContaining('The backup ') });
  const dataDir = join(home, 'from-bucket');
  const { TIDEMARK_S3_ENDPOINT, TIDEMARK_S3_ACCESS_KEY, TIDEMARK_S3_SECRET_KEY } = servers;
  const env = { TIDEMARK_DATA: dataDir, TIDEMARK_S3_ENDPOINT, TIDEMARK_S3_ACCESS_KEY, TIDEMARK_S3_SECRET_KEY } as Record<
    string,
    string
  >;
  expect(await runCommand(['restore', target], env)).toMatchObject({ code: 0, errors: '' });
  const restored = await startService({ dataDir, account: service.account });
  expect((await seen(restored)).dashboards).toContain('Moved');
  await restored.stop();
});

test('a cluster is backed up while it takes events, and restored from that on one machine and on a cluster', async () => {
  const shards = {
    TIDEMARK_DATA: join(home, 'shards'),
    CLICKHOUSE_URL: `${cluster.url}/moved`,
    CLICKHOUSE_CLUSTER: cluster.name,
  };
  const onCluster = await startService({ dataDir: shards.TIDEMARK_DATA, env: shards, account: service.account });
  const folder = join(home, 'of-cluster');
  let isLoading = true;
  let acknowledged = 0;
  const load = (async () => {
    for (; isLoading; acknowledged += 20) await capture(onCluster, 20);
  })();
  try {
    await vi.waitFor(() => expect(acknowledged).toBeGreaterThan(100), { timeout: 120_000 });
    const before = await onCluster.storedUuids();
    expect(await runCommand(['backup', folder], shards)).toMatchObject({ code: 0, errors: '' });
    isLoading = false;
    await load;
    const wanted = await seen(onCluster);
    // without changes nothing is copied again
    const whole = await runCommand(['backup', folder], shards);
    const again = await runCommand(['backup', folder], shards);
    expect([whole.code, again.output]).toEqual([0, expect.stringMatching(/; 0 files were written and \d+ used again/)]);

    const [first = ''] = (await runCommand(['restore', folder, '--list'])).output.split(' ');
    const one = { TIDEMARK_DATA: join(home, 'of-cluster-first') };
    expect(await runCommand(['restore', folder, '--at', first], one)).toMatchObject({ code: 0, errors: '' });
    const onOne = await startService({ dataDir: one.TIDEMARK_DATA, account: service.account });
    const stored = await onOne.storedUuids();
    await onOne.stop();
    expect(new Set(stored).size).toBe(stored.length);
    expect(before.filter((uuid) => !stored.includes(uuid))).toEqual([]);

    const other = { ...shards, TIDEMARK_DATA: join(home, 'other-shards'), CLICKHOUSE_URL: `${cluster.url}/restored` };
    expect(await runCommand(['restore', folder], other)).toMatchObject({ code: 0, errors: '' });
    const onOther = await startService({ dataDir: other.TIDEMARK_DATA, env: other, account: service.account });
    expect(await seen(onOther)).toEqual(wanted);
    await onOther.stop();
  } finally {
    isLoading = false;
    await load.catch(() => {});
    await onCluster.close();
  }
});
