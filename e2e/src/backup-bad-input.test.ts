import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventMaker, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tidemark } from './testing/backup-commands.js';

/** A test may start four stores and as many programs, on a machine with other work. */
const PATIENCE = { timeout: 900_000 };

let home: string;
let service: Service;
let env: Record<string, string>;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-bad-backup-'));
  service = await startService();
  env = { TIDEMARK_DATA: service.dataDir };
  await capture(600);
});
afterAll(async () => {
  await service?.close();
  for (const disk of disks) spawnSync('umount', ['-l', disk]);
  await rm(home, { recursive: true, force: true });
});

const make = eventMaker(Math.floor(Math.random() * 1e9));

/** Captures events of 30 days that cannot be compressed to less than 2 KB each. */
async function capture(count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 100) {
    const batch = Array.from({ length: 100 }, (_, i) =>
      make({
        timestamp: new Date(Date.now() - (i % 30) * 86_400_000).toISOString(),
        properties: { random: randomBytes(2_048).toString('base64') },
      }),
    );
    expect((await service.post('/batch/', { api_key: service.account.projectKey, batch })).status).toBe(200);
  }
}

const disks: string[] = [];
const mount = (disk: string, options: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', `${options},mode=755`, 'tmpfs', disk]);

/** Makes a disk of so many KiB; null: this user may not mount one. */
async function makeDisk(name: string, size: number): Promise<string | null> {
  const disk = join(home, name);
  await mkdir(disk);
  if (mount(disk, `size=${size}k`).status !== 0) return null;
  disks.push(disk);
  return disk;
}

const resize = (disk: string, size: number) => expect(mount(disk, `remount,size=${size}k`).status).toBe(0);

const canMount = process.getuid?.() === 0 && (await canMountHere());
if (!canMount) console.warn('Skipped: a full disk needs a tmpfs of its own, which this user may not mount.');
async function canMountHere(): Promise<boolean> {
  const disk = await mkdtemp(join(tmpdir(), 'tidemark-mount-'));
  const can = mount(disk, 'size=64k').status === 0;
  if (can) spawnSync('umount', [disk]);
  await rm(disk, { recursive: true });
  return can;
}

/** Paths of the files of a folder. */
const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test.skipIf(!canMount)(
  'a disk that is full in the middle of a backup: said in a sentence, and the next one goes on',
  PATIENCE,
  async () => {
    const disk = (await makeDisk('small', 600)) ?? '';
    const folder = join(disk, 'backups');
    const full = 'The folder of the backup has no space left: make room in it, and run it again.\n';
    expect(await tidemark(['backup', folder], env)).toEqual({ code: 1, output: '', errors: full });
    expect(await tidemark(['restore', folder, '--list'], env)).toMatchObject({
      code: 1,
      errors: `There is no whole backup in ${folder}.\n`,
    });
    // but for the mark of the folder
    const left = (await filesIn(folder)).length - 1;
    expect(left).toBeGreaterThan(2);
    expect(await tidemark(['backup', folder], env)).toMatchObject({ code: 1, errors: full });

    resize(disk, 64_000);
    const whole = await tidemark(['backup', folder], env);
    expect(whole).toMatchObject({ code: 0, errors: '' });
    const [, written = '', reused = ''] = /; (\d+) files were written and (\d+) used again/.exec(whole.output) ?? [];
    expect(Number(reused)).toBeGreaterThanOrEqual(left - 1);
    expect(Number(written)).toBeGreaterThan(0);

    // the whole one outlives a next one that finds no space
    await capture(300);
    const used = Number(spawnSync('df', ['--output=used', disk]).stdout.toString().split('\n')[1]);
    resize(disk, used + 40);
    expect(await tidemark(['backup', folder, '--keep', '1'], env)).toMatchObject({ code: 1, errors: full });
    const dataDir = join(home, 'from-full');
    expect(await tidemark(['restore', folder], { TIDEMARK_DATA: dataDir })).toMatchObject({ code: 0, errors: '' });
    await rm(dataDir, { recursive: true });
  },
);

test.skipIf(!canMount)(
  'a disk that is full in the middle of a restore: said in a sentence, and the next run goes on',
  PATIENCE,
  async () => {
    const folder = join(home, 'for-full');
    expect(await tidemark(['backup', folder], env)).toMatchObject({ code: 0, errors: '' });
    const wanted = (await service.storedUuids()).sort();
    const disk = (await makeDisk('target', 20_000)) ?? '';
    const dataDir = join(disk, 'data');
    const target = { TIDEMARK_DATA: dataDir };
    const failures: string[] = [];
    for (const size of [20_000, 45_000, 70_000, 1_000_000]) {
      resize(disk, size);
      const { code, errors } = await tidemark(['restore', folder], target);
      if (code === 0) break;
      failures.push(errors);
      const refused = await tidemark(['serve'], { ...target, PORT: '0' });
      expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('run that again until it is done') });
    }
    const full = `There is no space left in ${dataDir}: make room on its disk, and run it again. It then goes on where it ended.\n`;
    expect(failures.length).toBeGreaterThan(1);
    expect(failures).toEqual(failures.map(() => full));
    resize(disk, 1_000_000);
    const restored = await startService({ dataDir, account: service.account });
    try {
      expect((await restored.storedUuids()).sort()).toEqual(wanted);
    } finally {
      await restored.close();
    }
  },
);

test(
  'a folder that has the data directory or files of something else is refused, and nothing in it is deleted',
  PATIENCE,
  async () => {
    const before = (await service.storedUuids()).length;
    for (const folder of [join(service.dataDir, '..'), service.dataDir, join(service.dataDir, 'blobs/backups')]) {
      expect(await tidemark(['backup', folder], env)).toMatchObject({
        code: 1,
        errors: `The folder of backups ${folder} and that of TIDEMARK_DATA must not be in each other: name one of its own.\n`,
      });
    }
    expect(await service.storedUuids()).toHaveLength(before);

    const foreign = join(home, 'foreign');
    await mkdir(join(foreign, 'data/events'), { recursive: true });
    await writeFile(join(foreign, 'data/events/mine'), '');
    expect(await tidemark(['backup', foreign], env)).toMatchObject({
      code: 1,
      errors: 'The folder has files that are not of a backup (data/events/mine): name an empty one.\n',
    });
    expect(await filesIn(foreign)).toEqual([join(foreign, 'data/events/mine')]);
  },
);

test('half a backup, a damaged one and one of a newer version are refused before anything is written', PATIENCE, async () => {
  const whole = join(home, 'whole');
  expect(await tidemark(['backup', whole], env)).toMatchObject({ code: 0, errors: '' });
  let copies = 0;
  const [name = ''] = await readdir(join(whole, 'backups'));

  /** Restores a copy of the backup that was changed. @returns what the command said, and whether it has made the data directory */
  async function refused(change: (folder: string) => Promise<void>) {
    const folder = join(home, `changed-${++copies}`);
    await cp(whole, folder, { recursive: true });
    await change(folder);
    const dataDir = `${folder}-data`;
    const { code, errors } = await tidemark(['restore', folder], { TIDEMARK_DATA: dataDir });
    const made = (await readdir(home)).includes(`changed-${copies}-data`);
    return { code, errors: errors.replaceAll(folder, 'FOLDER'), made, dataDir };
  }
  /** Changes the manifest, with a checksum that fits. */
  const withManifest = (change: (manifest: Record<string, never>) => void) => async (folder: string) => {
    const path = join(folder, 'backups', name, 'manifest.json');
    const manifest = JSON.parse(JSON.parse(await readFile(path, 'utf8')).manifest);
    change(manifest);
    const text = JSON.stringify(manifest);
    await writeFile(path, JSON.stringify({ sha256: createHash('sha256').update(text).digest('hex'), manifest: text }));
  };

  expect(await refused((folder) => rm(join(folder, 'backups', name, 'manifest.json')))).toMatchObject({
    code: 1,
    errors: 'There is no whole backup in FOLDER.\n',
    made: false,
  });
  const events = (await filesIn(join(whole, 'data/events')))[0]?.replace(whole, '') ?? '';
  expect(await refused((folder) => rm(join(folder, events)))).toMatchObject({
    code: 1,
    errors: `The backup is damaged: ${events.slice(1)} is missing.\n`,
    made: false,
  });
  const users = `backups/${name}/postgres/users.jsonl.gz`;
  const bytes = await readFile(join(whole, users));
  expect(await refused((folder) => writeFile(join(folder, users), bytes.subarray(0, bytes.length / 2)))).toMatchObject({
    code: 1,
    errors: `The backup is damaged: ${users} has ${Math.floor(bytes.length / 2)} bytes instead of ${bytes.length}.\n`,
    made: false,
  });
  expect(await refused(withManifest((manifest) => Object.assign(manifest, { form: 2 })))).toMatchObject({
    code: 1,
    errors: `The backup ${name} was made by a newer Tidemark: restore it with that version or a later one.\n`,
    made: false,
  });
  const newer = (schema: string) =>
    expect.stringMatching(
      new RegExp(
        `^The backup was made by Tidemark \\S+ with the schema ${schema}, which this version does not know: restore it with .*\\n$`,
      ),
    );
  expect(
    await refused(withManifest((manifest) => (manifest['metadata'] as unknown as { schema: number[] }).schema.push(9999))),
  ).toMatchObject({ code: 1, errors: newer('9999'), made: false });
  expect(
    await refused(
      withManifest((manifest) => (manifest['events'] as unknown as { schema: string[] }).schema.push('9999_new.sql')),
    ),
  ).toMatchObject({ code: 1, errors: newer('9999_new.sql'), made: false });

  // of the same size: found while it is read, and PostgreSQL stays empty
  const flipped = Buffer.from(bytes);
  flipped[20] = (flipped[20] ?? 0) ^ 255;
  const damaged = await refused((folder) => writeFile(join(folder, users), flipped));
  expect(damaged).toMatchObject({
    code: 1,
    errors: `The backup is damaged: ${users} does not agree with its checksum.\n`,
    made: true,
  });
  expect(await tidemark(['restore', whole], { TIDEMARK_DATA: damaged.dataDir })).toMatchObject({ code: 0, errors: '' });
});

test('two backups at once: one after the other; two moves at once: one of them', PATIENCE, async () => {
  const folder = join(home, 'twice');
  const backups = await Promise.all([tidemark(['backup', folder], env), tidemark(['backup', folder], env)]);
  expect(backups).toMatchObject([
    { code: 0, errors: '' },
    { code: 0, errors: '' },
  ]);
  const list = await tidemark(['restore', folder, '--list'], {});
  expect(list.output.trim().split('\n')).toHaveLength(2);

  await service.stop();
  const settings = join(home, 'moved.env');
  const moved = join(home, 'moved');
  await writeFile(settings, `TIDEMARK_DATA=${moved}\n`);
  const moves = await Promise.all([tidemark(['move', settings], env), tidemark(['move', settings], env)]);
  const [done, refused] = moves.sort((a, b) => a.code - b.code);
  expect(done).toMatchObject({ code: 0, errors: '', output: expect.stringContaining('Moved and compared') });
  expect(refused).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^(Another Tidemark is running on .*|The data directory .* has data already .*)\n$/),
  });
  await service.restart();
  const wanted = (await service.storedUuids()).sort();
  const copy = await startService({ dataDir: moved, account: service.account });
  try {
    expect((await copy.storedUuids()).sort()).toEqual(wanted);
  } finally {
    await copy.close();
  }
});
