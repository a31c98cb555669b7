import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtModule } from '../../testing/built-module.js';
import { createUuid7, lockDataDirectory, systemIds } from './index.js';

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  test('version 7 ids grow for any changes of the clock', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 ** 47 }), { minLength: 2 }),
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        (times, bytes) => {
          let at = 0;
          const next = createUuid7(
            () => times[at++ % times.length] ?? 0,
            () => Buffer.from(bytes),
          );
          const made = times.map(next);
          for (const id of made) expect(id).toMatch(UUID7);
          expect([...made].sort()).toEqual(made);
          expect(new Set(made).size).toBe(made.length);
        },
      ),
    );
  });

  test('version 7 ids grow when more are made in a millisecond than the counter has values', () => {
    const next = createUuid7(
      () => 1_700_000_000_000,
      () => Buffer.alloc(16, 0xff),
    );
    const made = Array.from({ length: 10_000 }, next);
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
    expect(made[0]).toMatch(/^018bcfe5-6800-77ff-bfff/);
  });

  test('tokens are random', () => {
    expect(systemIds.token(32)).toMatch(/^[\w-]{43}$/);
    expect(systemIds.token(32)).not.toBe(systemIds.token(32));
    expect(systemIds.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  });
});

describe('the lock of a data directory', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'tidemark-lock-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  test('a new directory is for its owner only, and the mode of an existing one stays', async () => {
    const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    const path = join(home, 'made');
    await (await lockDataDirectory(path)).release();
    expect(await mode(path)).toBe('700');
    await chmod(path, 0o750);
    await (await lockDataDirectory(path)).release();
    expect(await mode(path)).toBe('750');
  });

  test('it is held once, for any path of the directory, until it is released', async () => {
    const lock = await lockDataDirectory(join(home, 'data'));
    await symlink('data', join(home, 'link'));
    await expect(lockDataDirectory(join(home, 'link'))).rejects.toThrow(
      `Another Tidemark is running on ${home}/data: stop it first, or set TIDEMARK_DATA to another directory.`,
    );
    await (await lockDataDirectory(join(home, 'other'))).release();
    await lock.release();
    await (await lockDataDirectory(join(home, 'link'))).release();
  });

  test('of concurrent callers one gets it', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDirectory(home)));
    const held = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    expect(held).toHaveLength(1);
    await held[0]?.release();
  });

  test('it is free after a kill of its process', async () => {
    const code = `
      import { lockDataDirectory } from ${JSON.stringify(builtModule('adapters/system/index'))};
      await lockDataDirectory(${JSON.stringify(home)});
      console.log('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await expect(lockDataDirectory(home)).rejects.toThrow('Another Tidemark is running');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await lockDataDirectory(home)).release();
  });
});
