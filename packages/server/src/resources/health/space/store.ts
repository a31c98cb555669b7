import { sql } from 'kysely';
import type { Db } from '../../../ports/db.js';
import type { KindOfSpace, SpaceKind } from './forecast.js';

const DAY_MS = 86_400_000;
/** Days from which growth is computed. */
const DAYS = 7;
/** Growth is not reported before the samples cover that long: merges make the space of events rise and fall within hours. */
const LEAST_MS = DAY_MS;
const KEPT_DAYS = 30;

/** What a kind takes on a disk at one time. */
export interface SpaceSample {
  place: string;
  kind: SpaceKind;
  used_bytes: number;
  free_bytes: number | null;
}

/** The newest samples, with the growth of each kind. */
export interface SpaceNow {
  taken_at: Date;
  kinds: KindOfSpace[];
}

/** When the newest samples were taken. */
export async function newestSample(db: Db): Promise<Date | null> {
  const { at } = await db
    .selectFrom('space_samples')
    .select((e) => e.fn.max('taken_at').as('at'))
    .executeTakeFirstOrThrow();
  return at;
}

/** Adds samples, and deletes those that are too old. */
export async function addSamples(db: Db, samples: readonly SpaceSample[], now: number): Promise<void> {
  if (samples.length === 0) return;
  const rows = samples.map((sample) => ({ ...sample, taken_at: new Date(now) }));
  await db
    .insertInto('space_samples')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .deleteFrom('space_samples')
    .where('taken_at', '<', new Date(now - KEPT_DAYS * DAY_MS))
    .execute();
}

/** Reads the newest samples and the slope of the line through those of the last days; null: there are none. */
export async function readSpace(db: Db, now: number): Promise<SpaceNow | null> {
  const { rows } = await sql<KindOfSpace & { taken_at: Date; since: Date; slope: number | null }>`
    with recent as (select * from space_samples where taken_at > ${new Date(now - DAYS * DAY_MS)} and taken_at <= ${new Date(now)})
    select place, kind, max(taken_at) as taken_at, min(taken_at) as since,
      ((array_agg(used_bytes order by taken_at desc))[1])::float8 as used_bytes,
      ((array_agg(free_bytes order by taken_at desc))[1])::float8 as free_bytes,
      regr_slope(used_bytes, extract(epoch from taken_at)) * 86400 as slope
    from recent
    group by place, kind
    having max(taken_at) = (select max(taken_at) from recent)
    order by used_bytes desc, kind`.execute(db);
  const [first] = rows;
  if (!first) return null;
  return {
    taken_at: first.taken_at,
    kinds: rows.map(({ place, kind, used_bytes, free_bytes, taken_at, since, slope }) => ({
      place,
      kind,
      used_bytes,
      free_bytes,
      growth_bytes_per_day: taken_at.getTime() - since.getTime() < LEAST_MS || slope === null ? null : Math.round(slope),
    })),
  };
}

/** Bytes of the database, and of its write-ahead log where the user may know them. */
export async function databaseBytes(db: Db): Promise<{ database: number; log: number | null }> {
  const { rows } = await sql<{ database: number; log: number | null }>`
    select pg_database_size(current_database())::float8 as database,
      case when has_function_privilege('pg_ls_waldir()', 'execute') then (select sum(size)::float8 from pg_ls_waldir()) end as log`.execute(
    db,
  );
  return { database: rows[0]?.database ?? 0, log: rows[0]?.log ?? null };
}
