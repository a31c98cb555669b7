import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { copyTree, PREPARED_DATA } from '../../../testkit/src/prepared-data.js';

/**
 * A function that gives an empty directory the files of `make`. In a test run each process makes them once and copies them from then on, which
 * takes a tenth of the time; the run removes the first ones.
 */
export function madeOnce(make: (directory: string) => Promise<unknown>): (directory: string) => Promise<void> {
  let made: Promise<string> | undefined;
  return async (directory) => {
    const folder = process.env[PREPARED_DATA];
    if (!folder) {
      await make(directory);
      return;
    }
    made ??= mkdtemp(join(folder, 'made-')).then(async (first) => {
      await make(first);
      return first;
    });
    await copyTree(`${await made}/.`, directory);
  };
}
