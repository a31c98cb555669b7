import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { joinPostgres } from '../../adapters/postgres/index.js';
import { createScheduler, tryLockDataDirectory } from '../../adapters/system/index.js';
import type { Config } from '../../config.js';
import type { Clock } from '../../ports/system.js';
import { type Space, spaceNow } from '../../resources/health/index.js';
import { ANSWER_MS, type Finding, ok, warning } from './finding.js';

/** A disk that is full within so many days is a warning. */
const SOON_DAYS = 14;

/** What takes space, and when each disk is full, by what the service has measured. Nothing unless its database runs. */
export async function checkSpace(config: Config, clock: Clock): Promise<Finding[]> {
  if (!(await databaseRuns(config))) return [];
  const space = await readFrom(config, clock);
  if (space === 'unreachable') return [];
  if (!space) return [ok('space', 'not measured yet: the service does it once an hour')];
  return space.places.map((place) =>
    finding(
      place,
      space.kinds.filter((kind) => kind.place === place.place),
    ),
  );
}

async function databaseRuns({ databaseUrl, dataDir }: Config): Promise<boolean> {
  if (databaseUrl) return true;
  if (!existsSync(join(dataDir, 'postgres'))) return false;
  const lock = await tryLockDataDirectory(dataDir).catch(() => null);
  await lock?.release();
  return lock === null;
}

async function readFrom(config: Config, clock: Clock): Promise<Space | null | 'unreachable'> {
  try {
    const { db, close } = await joinPostgres(config, pino({ level: 'silent' }), createScheduler(), { patience: ANSWER_MS });
    return await spaceNow(db, clock.now()).finally(close);
  } catch {
    // another check says why, or the schema is that of an older version
    return 'unreachable';
  }
}

function finding(place: Space['places'][number], kinds: Space['kinds']): Finding {
  const used = kinds.map(({ kind, used_bytes }) => `${kind} ${text(used_bytes)}`).join(', ');
  const free = place.free_bytes === null ? '' : `; ${text(place.free_bytes)} free`;
  const { growth_bytes_per_day: growth, days_until_full: days, filled_by: filled } = place;
  const grows =
    growth === null
      ? '; growth is known after a day'
      : `; grows by ${text(Math.max(0, growth))} a day${filled ? `, most of it ${filled}` : ''}`;
  const full = days === null ? '' : `; full in ${days < 10 ? days.toFixed(1) : Math.round(days)} days`;
  const sentence = `${place.place}: ${used}${free}${grows}${full}`;
  if (days === null || days >= SOON_DAYS) return ok('space', sentence);
  return warning(
    'space',
    sentence,
    'Add disk space, or shorten the retention of events or recordings: without space no event is stored.',
  );
}

/** "23.3 GB": three digits, in powers of 1,000. */
function text(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  return `${new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(bytes / 1_000 ** step)} ${units[step]}`;
}
