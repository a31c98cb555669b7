import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Stores } from '../backup/index.js';
import type { Config } from '../config.js';

/** A disk with less than this is full; bytes. */
const NOTHING_FREE = 1024 * 1024;

export interface FillOptions {
  /** Versions to which PostgreSQL is migrated at most; undefined: the newest. */
  migrations?: readonly number[];
  /** The command that goes on where this one ends; undefined: the stores are whole then. */
  next?: string | undefined;
}

/**
 * Opens empty stores, or those that an earlier run began to fill from the same source, and fills them. Until that is done, the service does
 * not start on them.
 * @throws Error in one sentence
 */
export async function fillTarget<T>(
  config: Config,
  copy: { source: string; command: string },
  { migrations, next }: FillOptions,
  fill: (stores: Stores) => Promise<T>,
): Promise<T> {
  const [{ openStores }, { isFull, readUnfinished, removeUnfinished, requireEmpty, writeUnfinished }] = await Promise.all([
    import('../open-stores.js'),
    import('../backup/index.js'),
  ]);
  const unfinished = await readUnfinished(config);
  if (unfinished && unfinished.source !== copy.source) {
    throw new Error(
      `${config.dataDir} is half filled by "${unfinished.command}": run that again, or empty the directory and the servers.`,
    );
  }
  const part = unfinished ? undefined : ['postgres', 'events', 'blobs'].find((name) => existsSync(join(config.dataDir, name)));
  if (part && !(config.databaseUrl && part === 'postgres')) {
    throw new Error(`The data directory ${config.dataDir} has data already (${part}): set TIDEMARK_DATA to an empty one.`);
  }
  try {
    // noted before anything is made: a full disk must not leave a directory that looks like somebody's
    const begin = () => (unfinished ? Promise.resolve() : writeUnfinished(config, { ...copy, isChecked: false }));
    const stores = await openStores(config, pino({ level: 'silent' }), { migrations, begin });
    try {
      if (unfinished?.isChecked !== true) {
        await requireEmpty(stores).catch((error) => removeUnfinished(config).then(() => Promise.reject(error)));
      }
      await writeUnfinished(config, { ...copy, isChecked: true });
      const result = await fill(stores);
      if (next) await writeUnfinished(config, { ...copy, command: next, isChecked: true });
      else await removeUnfinished(config);
      return result;
    } finally {
      await stores.close();
    }
  } catch (error) {
    // PostgreSQL ends when it cannot write its log, so its error tells nothing
    if (!isFull(error) && (await freeBytes(config.dataDir)) > NOTHING_FREE) throw error;
    throw new Error(
      `There is no space left in ${config.dataDir}: make room on its disk, and run it again. It then goes on where it ended.`,
      {
        cause: error,
      },
    );
  }
}

/** Free bytes of the disk of a directory. */
async function freeBytes(directory: string): Promise<number> {
  const stats = await statfs(directory).catch(() => null);
  return stats ? stats.bavail * stats.bsize : Number.POSITIVE_INFINITY;
}
