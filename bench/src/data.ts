import { copyFile, link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { openEvents } from '../../packages/server/dist/adapters/clickhouse/index.js';
import { createScheduler } from '../../packages/server/dist/adapters/system/index.js';
import { loadConfig } from '../../packages/server/dist/config.js';
import { seedQueries } from './query-seed.js';

/** What a data directory is seeded with. */
export interface Wanted {
  events: number;
  persons: number;
}

/** How far a directory is seeded. It is stored beside the data. */
interface Progress extends Wanted {
  /** End of the 90 days of events, epoch milliseconds. */
  now: number;
  /** Events that are stored. */
  stored: number;
  isComplete: boolean;
}

const PROJECT = 1;
/** Larger files of the engine are never changed in place, so a copy may share them. */
const SHARED_FROM = 1024 * 1024;

/** Reads a number of events, such as `2M`. */
export const eventsIn = (text: string): number => Number.parseFloat(text) * (text.endsWith('M') ? 1_000_000 : 1);

/**
 * Makes a new data directory with seeded events. `from`: a directory to copy, which `npm run bench -- seed` or an earlier run has seeded, or
 * which this one seeds; null: the new directory is seeded.
 */
export async function seededData(wanted: Wanted, from: string | null): Promise<{ dataDir: string; remove(): Promise<void> }> {
  const seeded = from === null ? null : resolve(from);
  const parent = await mkdtemp(join(seeded === null ? tmpdir() : join(seeded, '..'), 'tidemark-bench-data-'));
  const dataDir = join(parent, 'data');
  await seed(seeded ?? dataDir, wanted);
  if (seeded !== null) await copyOf(seeded, dataDir);
  return { dataDir, remove: () => rm(parent, { recursive: true, force: true }) };
}

/** Seeds a directory, from where an earlier call has stopped. @param until `performance.now()` at which to stop. @returns whether it is complete */
export async function seed(dataDir: string, wanted: Wanted, until = Number.POSITIVE_INFINITY): Promise<boolean> {
  const file = join(dataDir, 'seed.json');
  const begun = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Progress,
    () => null,
  );
  if (begun && (begun.events !== wanted.events || begun.persons !== wanted.persons))
    throw new Error(
      `${dataDir} has ${begun.events} events of ${begun.persons} persons, not ${wanted.events} of ${wanted.persons}.`,
    );
  const progress = begun ?? { ...wanted, now: Date.now(), stored: 0, isComplete: false };
  if (progress.isComplete) return true;
  const save = () => writeFile(file, JSON.stringify(progress));
  if (!begun) {
    await mkdir(dataDir, { recursive: true });
    const config = { ...loadConfig({}), dataDir };
    await (await openEvents(config, { log: pino({ level: 'silent' }), scheduler: createScheduler() })).close();
    await save();
  }
  const place = { ...progress, path: join(dataDir, 'events'), projectId: PROJECT };
  await seedQueries(place, async (stored) => {
    progress.stored = stored;
    await save();
    return stored === wanted.events || performance.now() < until;
  });
  if (progress.stored < wanted.events) return false;
  progress.isComplete = true;
  await save();
  console.log(`Seeded ${wanted.events.toLocaleString('en')} events of ${wanted.persons.toLocaleString('en')} persons`);
  return true;
}

async function copyOf(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyOf(source, target);
    else if (entry.isFile()) await ((await stat(source)).size >= SHARED_FROM ? link(source, target) : copyFile(source, target));
  }
}
