import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Stores } from '../backup/index.js';
import type { Config } from '../config.js';

export interface FillOptions {
  /** Versions to which PostgreSQL is migrated at most; undefined: the newest. */
  migrations?: readonly number[];
  /** Whether another command goes on where this one ends. */
  keepUnfinished?: boolean;
}

/**
 * Opens empty stores, or those that an earlier run began to fill from the same source, and fills them. Until that is done, the service does
 * not start on them.
 * @throws Error in one sentence
 */
export async function fillTarget<T>(
  config: Config,
  copy: { source: string; command: string },
  { migrations, keepUnfinished = false }: FillOptions,
  fill: (stores: Stores) => Promise<T>,
): Promise<T> {
  const [{ openStores }, { readUnfinished, removeUnfinished, requireEmpty, writeUnfinished }] = await Promise.all([
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
  const stores = await openStores(config, pino({ level: 'silent' }), migrations);
  try {
    if (!unfinished) await requireEmpty(stores);
    await writeUnfinished(config, copy);
    const result = await fill(stores);
    if (!keepUnfinished) await removeUnfinished(config);
    return result;
  } finally {
    await stores.close();
  }
}
