import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findBinaries } from './binaries.js';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-binaries-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Makes a package with programs of these scripts, and finds them as a start does. */
async function find(script: string): Promise<string> {
  const packaged = join(home, 'package/native');
  await mkdir(join(packaged, 'bin'), { recursive: true });
  await writeFile(join(packaged, 'pg-symlinks.json'), '[]');
  for (const name of ['initdb', 'postgres']) {
    await writeFile(join(packaged, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const runDir = join(home, 'run');
  await mkdir(runDir);
  const { postgres } = await findBinaries(
    { dataDir: home, clusterDir: join(home, 'postgres'), runDir, user: null },
    packaged,
    5_000,
  );
  return postgres.replace(home, '');
}

test('a program that is stopped while it names its version does not keep the start waiting', async () => {
  // the first one to run is stopped, as by SIGSTOP
  const script = `mkdir ${home}/stopped 2>/dev/null && kill -STOP $$; exit 0`;
  expect(await find(script)).toBe('/run/native/bin/postgres');
});

test('programs that never answer are refused in one sentence with the reason', async () => {
  await expect(find('exec sleep 1000')).rejects.toThrow(
    'The embedded PostgreSQL does not run on this machine (it did not answer within 5 s); set DATABASE_URL to use another server.',
  );
});
