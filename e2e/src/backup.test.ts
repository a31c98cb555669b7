import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventMaker, eventually, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tidemark } from './testing/backup-commands.js';

let home: string;
let service: Service;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-backup-'));
  service = await startService();
});
afterAll(async () => {
  await service?.close();
  await rm(home, { recursive: true, force: true });
});

const make = eventMaker(Math.floor(Math.random() * 1e9));

/** Sends events and returns the uuids of those that were acknowledged. */
async function capture(count: number, { url, account }: Service = service): Promise<string[]> {
  const batch = Array.from({ length: count }, (_, i) =>
    make({ distinct_id: `person ${i % 7}`, timestamp: new Date(Date.now() - i * 3_600_000).toISOString() }),
  );
  const response = await fetch(`${url}/batch/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: account.projectKey, batch }),
  });
  return response.ok ? batch.map(({ uuid }) => uuid) : [];
}

/** Starts the service on a copy of the first one's data. */
const startCopy = (dataDir: string, env: Record<string, string> = {}) => startService({ dataDir, env, account: service.account });

test('a backup of the running service, restored elsewhere, has everything', async () => {
  const dashboard = await service.post('/api/projects/@current/dashboards/', { name: 'Restored' });
  expect(dashboard.status).toBe(201);
  await service.post('/api/projects/@current/feature_flags/', {
    key: 'restored',
    active: true,
    filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
  });
  const before = await capture(100);
  const folder = join(home, 'first');
  const backup = await tidemark(['backup', folder], { TIDEMARK_DATA: service.dataDir });
  expect(backup).toMatchObject({ code: 0, errors: '' });
  expect(backup.output).toMatch(/has \d+ events/);
  await capture(10);

  const dataDir = join(home, 'restored');
  const restored = await tidemark(['restore', folder], { TIDEMARK_DATA: dataDir });
  expect(restored).toMatchObject({ code: 0, errors: '' });
  const copy = await startCopy(dataDir);
  try {
    const names = (await copy.get('/api/projects/@current/dashboards/')).body as { results: { name: string }[] };
    expect(names.results.map(({ name }) => name)).toContain('Restored');
    const flags = await fetch(`${copy.url}/flags/?v=2`, {
      method: 'POST',
      body: JSON.stringify({ api_key: service.account.projectKey, distinct_id: 'person 1' }),
    });
    expect(await flags.json()).toMatchObject({ flags: { restored: { enabled: true } } });
    const stored = await copy.storedUuids();
    expect(stored.filter((uuid) => before.includes(uuid)).sort()).toEqual([...before].sort());
  } finally {
    await copy.close();
  }
});

test('a backup under load, and a kill in the middle of the next: restored, each event acknowledged before is there once', async () => {
  const folder = join(home, 'load');
  const acknowledged = new Set<string>();
  let isLoading = true;
  const load = (async () => {
    while (isLoading) {
      for (const uuid of await capture(50).catch(() => [])) acknowledged.add(uuid);
      await sleep(50);
    }
  })();
  await eventually(async () => expect(acknowledged.size).toBeGreaterThan(500));
  const before = [...acknowledged];
  const first = await tidemark(['backup', folder], { TIDEMARK_DATA: service.dataDir });
  expect(first).toMatchObject({ code: 0, errors: '' });

  // the next one writes into the same folder until its service is killed
  const next = tidemark(['backup', folder], { TIDEMARK_DATA: service.dataDir });
  await eventually(async () => expect((await readdir(join(folder, 'backups'))).length).toBeGreaterThan(1), { every: 5 });
  await service.kill9();
  isLoading = false;
  await load;
  await service.restart();
  expect(await next).toMatchObject({ code: 1 });
  const list = await tidemark(['restore', folder, '--list'], {});
  expect(list.output.trim().split('\n')).toHaveLength(1);

  const dataDir = join(home, 'after-load');
  expect(await tidemark(['restore', folder], { TIDEMARK_DATA: dataDir })).toMatchObject({ code: 0, errors: '' });
  const copy = await startCopy(dataDir);
  try {
    const stored = await copy.storedUuids();
    expect(new Set(stored).size).toBe(stored.length);
    const there = new Set(stored);
    expect(before.filter((uuid) => !there.has(uuid))).toEqual([]);
  } finally {
    await copy.close();
  }
  // the service that was killed has lost nothing, and makes backups again
  const all = new Set(await service.storedUuids());
  expect([...acknowledged].filter((uuid) => !all.has(uuid))).toEqual([]);
  expect(await tidemark(['backup', folder, '--keep', '1'], { TIDEMARK_DATA: service.dataDir })).toMatchObject({ code: 0 });
  const left = await tidemark(['restore', folder, '--list'], {});
  expect(left.output.trim().split('\n')).toHaveLength(1);
  // an empty folder may be left of the one that was broken off
  const files = (await readdir(join(folder, 'backups'), { recursive: true })).filter((name) => name.includes('.'));
  expect(new Set(files.map((name) => name.split('/')[0])).size).toBe(1);
});

test('unchanged files are used again, and what cannot be restored is refused in a sentence', async () => {
  const folder = join(home, 'refused');
  await capture(30);
  const env = { TIDEMARK_DATA: service.dataDir };
  expect(await tidemark(['backup', folder], env)).toMatchObject({ code: 0 });
  const again = await tidemark(['backup', folder], env);
  const [, written = ''] = /; (\d+) files were written and \d+ used again/.exec(again.output) ?? [];
  expect(Number(written)).toBeLessThan(4);

  expect(await tidemark(['restore', folder], env)).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^The data directory .* has data already .*set TIDEMARK_DATA to an empty one\.\n$/),
  });
  expect(await tidemark(['restore', join(home, 'nothing')], { TIDEMARK_DATA: join(home, 'never') })).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^There is no whole backup in .*\n$/),
  });
  const [day = ''] = await readdir(join(folder, 'data/events'));
  const [name = ''] = await readdir(join(folder, 'data/events', day));
  const file = join(folder, 'data/events', day, name);
  const bytes = await readFile(file);
  const dataDir = join(home, 'damaged');
  const restore = () => tidemark(['restore', folder], { TIDEMARK_DATA: dataDir });

  await writeFile(file, bytes.subarray(1));
  expect(await restore()).toMatchObject({ code: 1, errors: expect.stringContaining('bytes instead of') });
  expect(await readdir(home)).not.toContain('damaged');

  const flipped = Buffer.from(bytes);
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
  await writeFile(file, flipped);
  expect((await restore()).code).toBe(1);
  // half filled: the service does not start there, and the restore goes on when the file is whole again
  const refused = await tidemark(['serve'], { TIDEMARK_DATA: dataDir, PORT: '0' });
  expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('run that again until it is done') });
  await writeFile(file, bytes);
  expect(await restore()).toMatchObject({ code: 0, errors: '' });

  const [newest = ''] = (await readdir(join(folder, 'backups'))).sort().slice(-1);
  const manifest = join(folder, 'backups', newest, 'manifest.json');
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('startedAt', 'startedat'));
  expect(await tidemark(['restore', folder], { TIDEMARK_DATA: join(home, 'other') })).toMatchObject({
    code: 1,
    errors: expect.stringContaining('its manifest does not agree with its checksum'),
  });
});
