import { Gauge } from 'prom-client';
import { z } from 'zod';
import type { Deps } from '../../../deps.js';
import type { Db } from '../../../ports/db.js';
import { forecast, SPACE_KINDS } from './forecast.js';
import { readSpace } from './store.js';

export { sampleSpace } from './measure.js';

const bytes = z.int().describe('Bytes.');
const perDay = z
  .int()
  .nullable()
  .describe('Bytes by which it grows a day, by the line through the last seven days; null: measured for less than a day.');
const kind = z.enum(SPACE_KINDS);

/** What takes space, and when it is used up. */
export const spaceSchema = z.object({
  taken_at: z.iso.datetime().describe('When it was measured: once an hour.'),
  kinds: z
    .array(
      z.object({
        kind: kind.describe('Kind of data; `files`: exports and all other files, `logs`: logs of the event store.'),
        place: z.string().describe('The disk that it is on, as in `places`.'),
        used_bytes: bytes,
        growth_bytes_per_day: perDay,
      }),
    )
    .describe('What each kind of data takes, the largest first. Files in a bucket are not counted.'),
  places: z
    .array(
      z.object({
        place: z
          .string()
          .describe(
            '`data`: the data directory; a part of it that has a disk of its own; `clickhouse`, `postgres`: servers of these settings.',
          ),
        free_bytes: bytes.nullable().describe('Free bytes; null: a PostgreSQL server does not report it.'),
        growth_bytes_per_day: perDay,
        days_until_full: z
          .number()
          .nullable()
          .describe('Days until it is full at this growth; null: it does not grow, or unknown.'),
        filled_by: kind.nullable().describe('What grows most there; null: nothing, or unknown.'),
      }),
    )
    .describe('Disks, and when they are full.'),
});

export type Space = z.infer<typeof spaceSchema>;

/** The newest measurement with its forecast; null: nothing was measured in the last seven days. */
export async function spaceNow(db: Db, now: number): Promise<Space | null> {
  const found = await readSpace(db, now);
  if (!found) return null;
  return {
    taken_at: found.taken_at.toISOString(),
    kinds: found.kinds.map(({ free_bytes: _, ...rest }) => rest),
    places: forecast(found.kinds),
  };
}

/** Exposes the same in the metrics. */
export function tellSpace({ db, clock, metrics }: Pick<Deps, 'db' | 'clock' | 'metrics'>): void {
  let reading: Promise<Space | null> | null = null;
  /** All gauges of a scrape share one read. Other metrics report a database that is away. */
  const read = () => {
    reading ??= spaceNow(db, clock.now())
      .catch(() => null)
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  const registers = [metrics];
  const help = 'by the samples of the last seven days; absent: unknown';
  const ofKind = ['place', 'kind'] as const;
  new Gauge({
    name: 'tidemark_space_used_bytes',
    help: 'Bytes that each kind of data takes on each disk, measured once an hour',
    labelNames: ofKind,
    registers,
    async collect() {
      const space = await read();
      this.reset();
      for (const { place, kind: name, used_bytes } of space?.kinds ?? []) this.set({ place, kind: name }, used_bytes);
    },
  });
  new Gauge({
    name: 'tidemark_space_growth_bytes_per_day',
    help: `Bytes by which each kind of data grows a day, ${help}`,
    labelNames: ofKind,
    registers,
    async collect() {
      const space = await read();
      this.reset();
      for (const { place, kind: name, growth_bytes_per_day: growth } of space?.kinds ?? []) {
        if (growth !== null) this.set({ place, kind: name }, growth);
      }
    },
  });
  new Gauge({
    name: 'tidemark_space_days_until_full',
    help: `Days until each disk is full, ${help}`,
    labelNames: ['place'] as const,
    registers,
    async collect() {
      const space = await read();
      this.reset();
      for (const { place, days_until_full: days } of space?.places ?? []) if (days !== null) this.set({ place }, days);
    },
  });
}
