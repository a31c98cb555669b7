import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type Service, startService, webEventMaker } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tidemark } from './testing/backup-commands.js';
import { fillDisk } from './testing/fill-disk.js';

/** Disk size: enough for both stores and some events. */
const SIZE_MB = 600;
const EVENTS = 20_000;

const home = await mkdtemp(join(tmpdir(), 'tidemark-full-import-'));
const disk = join(home, 'disk');
await mkdir(disk);
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=755`, 'tmpfs', disk]);
const canMount = mounted.status === 0;
if (!canMount) console.warn(`Skipped: a full disk needs a tmpfs of its own, and mount says: ${mounted.stderr ?? mounted.error}`);

let service: Service;
beforeAll(async () => {
  if (!canMount) return;
  const dataDir = join(disk, 'data');
  // filled by a first start: copied files would take less space than those of users
  await mkdir(dataDir);
  service = await startService({ dataDir });
});
afterAll(async () => {
  await service?.close();
  if (canMount) spawnSync('umount', ['-l', disk]);
  await rm(home, { recursive: true, force: true });
});

/** Runs an import into a project of the service; files of the import are on another disk. */
const runImport = (project: number, args: readonly string[]) =>
  tidemark(['import', ...args], {
    TIDEMARK_HOST: service.url,
    TIDEMARK_PERSONAL_API_KEY: service.account.personalKey,
    TIDEMARK_PROJECT: String(project),
    POSTHOG_HOST: service.url,
    POSTHOG_PERSONAL_API_KEY: service.account.personalKey,
  });

const newProject = async (): Promise<number> => {
  const made = await service.post('/api/projects/', { name: 'Import' });
  expect(made.status).toBe(201);
  return (made.body as { id: number }).id;
};

const ballast = join(disk, 'ballast');

/** Removes the ballast, and waits until the service stores again. */
async function makeRoom(): Promise<void> {
  rmSync(ballast, { force: true });
  await eventually(async () => expect(await service.get('/_health')).toMatchObject({ status: 200 }), {
    within: 60_000,
    every: 250,
  });
}

/** The stored events of a project: all rows, and different uuids. */
async function stored(project: number): Promise<unknown> {
  const query = { kind: 'HogQLQuery', query: 'select count(), count(distinct uuid) from events' };
  const { body } = await service.post(`/api/projects/${project}/query/`, { query, refresh: 'force_blocking' });
  return (body as { results: unknown[] }).results[0];
}

test.skipIf(!canMount)(
  'the disk of the service gets full during an import of events: a sentence, and with room the same command goes on',
  { timeout: 600_000 },
  async () => {
    const project = await newProject();
    const make = webEventMaker(11, 500);
    const file = join(home, `events-${project}.jsonl`);
    await writeFile(file, Array.from({ length: EVENTS }, () => `${JSON.stringify(make())}\n`).join(''));
    const state = join(home, `state-${project}.json`);
    const args = ['events', file, '--state', state];
    const first = runImport(project, [...args, '--patience', '3']);
    const done = async () =>
      Number(Object.values(JSON.parse(await readFile(state, 'utf8')).files as { done: number }[])[0]?.done);
    try {
      await eventually(async () => expect(await done()).toBeGreaterThan(0), { within: 120_000, every: 5 });
      fillDisk(ballast);
      const full = await first;
      expect(full).toMatchObject({ code: 1, errors: expect.stringMatching(/ answers 503: .*\. Its disk is full\. Run/) });
      expect(full.errors.trimEnd().split('\n').at(-1)).toContain(
        'Run the same command again later: it continues where it stopped.',
      );
      expect(await done()).toBeLessThan(EVENTS);
    } finally {
      await makeRoom();
    }
    const before = await done();
    const second = await runImport(project, args);
    expect(second).toMatchObject({ code: 0, errors: expect.any(String) });
    expect(second.output).toMatch(
      new RegExp(
        `events +${EVENTS.toLocaleString('en')} +${(EVENTS - before).toLocaleString('en')} +0 +${before.toLocaleString('en')}`,
      ),
    );
    expect(await stored(project)).toEqual([EVENTS, EVENTS]);
  },
);

test.skipIf(!canMount)(
  'objects cannot be stored on a full disk: a sentence, and with room each is there once',
  { timeout: 600_000 },
  async () => {
    const [from, project] = [await newProject(), await newProject()];
    const send = async (path: string, body: object) =>
      expect((await service.post(`/api/projects/${from}/${path}/`, body)).status).toBe(201);
    await send('feature_flags', { key: 'new-cart' });
    for (let n = 0; n < 20; n++) await send('annotations', { content: `Launch ${n}`, date_marker: '2024-03-01T12:00:00Z' });
    const args = ['posthog', '--project', String(from), '--events', 'none', '--only', 'feature_flags,annotations'];
    const run = () => runImport(project, [...args, '--state', join(home, `state-${project}.json`), '--patience', '3']);
    fillDisk(ballast);
    try {
      // a database may still have some pages of its own to write to
      for (let n = 0; n < 3_000; n++) {
        const { status } = await service.post(`/api/projects/${from}/annotations/`, {
          content: `${n} ${randomBytes(3_000).toString('base64')}`,
          date_marker: '2024-03-01T12:00:00Z',
        });
        fillDisk(ballast);
        if (status >= 500) break;
      }
      const full = await run();
      expect([full.code, full.errors]).toEqual([
        1,
        expect.stringContaining('Its disk is full. Run the same command again later: it continues where it stopped.'),
      ]);
    } finally {
      await makeRoom();
    }
    await eventually(async () => expect((await run()).code).toBe(0), { within: 120_000 });
    const list = async (id: number, path: string) =>
      ((await service.get(`/api/projects/${id}/${path}/?limit=5000`)).body as { results: { content: string; key: string }[] })
        .results;
    const contents = async (id: number) => (await list(id, 'annotations')).map(({ content }) => content).sort();
    expect(await contents(project)).toEqual(await contents(from));
    expect((await list(project, 'feature_flags')).map(({ key }) => key)).toEqual(['new-cart']);
  },
);
