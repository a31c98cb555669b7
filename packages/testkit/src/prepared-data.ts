import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Set in a test run: the folder for the data of a service that was started once and stopped, which further services begin with. */
export const PREPARED_DATA = 'TIDEMARK_TEST_PREPARED_DATA';

/**
 * Gives a service that is to be started for the first time the tables of its stores, as an earlier one of this test run made them: that
 * takes a tenth of the time. Without a test run, or while another worker prepares them, it does nothing, and the service makes them itself.
 * @param prepare starts a service without accounts on a data directory, and stops it
 */
export async function copyPreparedData(dataDir: string, prepare: (dataDir: string) => Promise<void>): Promise<void> {
  const folder = process.env[PREPARED_DATA];
  if (!folder) return;
  const ready = join(folder, 'ready');
  if (!existsSync(ready)) {
    const made = join(folder, 'made');
    // only one of the workers makes this folder
    const isMine = await mkdir(made).then(
      () => true,
      () => false,
    );
    if (!isMine) return;
    await prepare(made);
    await copyTree(made, join(folder, 'copied'));
    await rename(join(folder, 'copied'), ready);
  }
  await copyTree(ready, dataDir);
}

/** Copies a folder with its owners, to a path that is free, or with `/.` behind it into a folder; the empty files of a write-ahead log take no space. */
export async function copyTree(from: string, to: string): Promise<void> {
  await run('cp', ['--recursive', '--no-dereference', '--preserve=mode,ownership', '--sparse=always', from, to]);
}
