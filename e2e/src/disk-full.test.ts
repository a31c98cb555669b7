import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type Service, startService, webEventMaker } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillDisk } from './testing/fill-disk.js';

/** Disk size: enough for both stores and some events. */
const SIZE_MB = 600;

const folder = await mkdtemp(join(tmpdir(), 'tidemark-full-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=755`, 'tmpfs', folder]);
const canMount = mounted.status === 0;
if (!canMount) console.warn(`Skipped: a full disk needs a tmpfs of its own, and mount says: ${mounted.stderr ?? mounted.error}`);

let service: Service;
beforeAll(async () => {
  if (!canMount) return;
  const dataDir = join(folder, 'data');
  // filled by a first start: copied files would take less space than those of users
  await mkdir(dataDir);
  service = await startService({ dataDir });
});
afterAll(async () => {
  await service?.close();
  if (canMount) spawnSync('umount', ['-l', folder]);
  await rm(folder, { recursive: true, force: true });
});

const make = webEventMaker(5, 50);

test.skipIf(!canMount)(
  'on a full disk capture answers 503 and reads work; with free space capture works without a restart',
  async () => {
    const before = await send();
    expect(before.status).toBe(200);
    expect(await service.get('/_health')).toMatchObject({ status: 200, body: { status: 'ok', disk: { ok: true } } });
    for (const part of ['postgres', 'events', 'events-log', 'blobs']) expect(await freeBytes(part)).toBeGreaterThan(2 ** 25);
    // On a full disk, events that are in the log alone are not lost, but they cannot be read until there is space again.
    await eventually(async () => expect(await service.storedUuids()).toEqual(expect.arrayContaining(before.uuids)));
    const ballast = join(folder, 'ballast');
    fillDisk(ballast);

    const refused = await eventually(async () => {
      const answer = await send();
      expect(answer.status).toBe(503);
      return answer;
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await service.get('/_health')).toMatchObject({
      status: 503,
      body: { status: 'full', disk: { ok: false, free_bytes: expect.any(Number) }, ingest: { refusing: 'full' } },
    });
    expect(await freeBytes('events-log')).toBeLessThan(2 ** 25);
    const stored = await service.events();
    expect(stored.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(before.uuids));

    rmSync(ballast);
    const after = await eventually(
      async () => {
        const answer = await send();
        expect(answer.status).toBe(200);
        return answer;
      },
      { every: 250 },
    );
    expect(await service.get('/_health')).toMatchObject({ status: 200, body: { status: 'ok', ingest: { refusing: null } } });
    const uuids = await service.storedUuids();
    for (const uuid of [...before.uuids, ...after.uuids]) expect(uuids.filter((one) => one === uuid)).toHaveLength(1);
    await service.stop();

    fillDisk(ballast);
    await expect(service.restart()).rejects.toThrow('\nThe disk of TIDEMARK_DATA is full: make room on it, and start again.\n');
    rmSync(ballast);
    await service.restart();
    expect(await service.storedUuids()).toHaveLength(uuids.length);
  },
  120_000,
);

async function send() {
  const batch = Array.from({ length: 200 }, () => make());
  const answer = await service.post('/batch/', { api_key: service.account.projectKey, batch });
  return { ...answer, uuids: batch.map(({ uuid }) => uuid) };
}

/** Free disk space of a part of the data directory, as the metrics report it. */
async function freeBytes(part: string): Promise<number> {
  const { body } = await service.get('/metrics');
  return Number(new RegExp(`^tidemark_disk_free_bytes\\{part="${part}"\\} (\\d+)$`, 'm').exec(String(body))?.[1]);
}
