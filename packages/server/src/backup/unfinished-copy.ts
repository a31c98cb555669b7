import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.js';

/** The file in a data directory whose stores are being filled. The service does not start beside it. */
const UNFINISHED = 'unfinished-copy.json';

/** What fills the stores of a data directory. */
export interface UnfinishedCopy {
  /** The installation that is copied. */
  source: string;
  /** The command, as people know it. */
  command: string;
  /** Whether the stores were found empty: what they have since is of this copy. */
  isChecked: boolean;
}

/** What an earlier run began to copy into the stores of a data directory; null: nothing. */
export async function readUnfinished({ dataDir }: Config): Promise<UnfinishedCopy | null> {
  try {
    return JSON.parse(await readFile(join(dataDir, UNFINISHED), 'utf8'));
  } catch {
    return null;
  }
}

/** @throws Error in one sentence when the stores of a data directory are half filled */
export async function requireFinished(config: Config): Promise<void> {
  const unfinished = await readUnfinished(config);
  if (!unfinished) return;
  throw new Error(`The data of ${config.dataDir} is half filled by "${unfinished.command}": run that again until it is done.`);
}

export const writeUnfinished = ({ dataDir }: Config, copy: UnfinishedCopy): Promise<void> =>
  writeFile(join(dataDir, UNFINISHED), JSON.stringify(copy), { flush: true });

export const removeUnfinished = ({ dataDir }: Config): Promise<void> => rm(join(dataDir, UNFINISHED), { force: true });
