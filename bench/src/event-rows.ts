import { pick, type Random, randomFrom, uuidFrom, webEventMaker } from '@tidemark/testkit';
import { encodeEvents } from '../../packages/server/dist/adapters/clickhouse/row-binary/index.js';
import { createScheduler } from '../../packages/server/dist/adapters/system/index.js';
import type { EventRow } from '../../packages/server/dist/ports/events.js';

/** Number of distinct sparse properties. */
const CUSTOM_NAMES = 200;
/** Sparse properties per event. */
const CUSTOM_EACH = 6;
const PROJECTS = 3;
const PEOPLE = 10_000;
/** Milliseconds between two events. */
const STEP = 60;

/** Batches of JSONEachRow bytes for the table `events`: web events of about 1.1 KB with 30 properties, in order of time. */
export function eventRows(rows: number, batch: number): Buffer[] {
  const random = randomFrom(1);
  const make = webEventMaker(1, PEOPLE);
  const start = Date.UTC(2026, 0, 5);
  const batches: Buffer[] = [];
  for (let at = 0; at < rows; at += batch) {
    const lines = Array.from({ length: Math.min(batch, rows - at) }, (_, i) => line(make(), random, start + (at + i) * STEP));
    batches.push(Buffer.from(`${lines.join('\n')}\n`));
  }
  return batches;
}

function line(event: ReturnType<ReturnType<typeof webEventMaker>>, random: Random, timestamp: number): string {
  return JSON.stringify({
    project_id: 1 + Math.floor(random() * PROJECTS),
    uuid: event.uuid,
    event: event.event,
    distinct_id: event.distinct_id,
    person_id: uuidFrom(random),
    person_mode: 'full',
    timestamp,
    inserted_at: timestamp + 20,
    properties: { ...event.properties, ...custom(random) },
  });
}

function custom(random: Random): Record<string, unknown> {
  const names = Array.from({ length: CUSTOM_EACH }, () => Math.floor(random() * CUSTOM_NAMES));
  return Object.fromEntries(names.map((n) => [`custom_key_${n}`, pick<unknown>(random, [`value ${n % 50}`, n, random() < 0.5])]));
}

const EMPTY = { elements_chain: '', group_0: '', group_1: '', group_2: '', group_3: '', group_4: '' };

/** The same rows as RowBinary. */
export function binaryRows(lines: Buffer): Promise<Buffer> {
  const texts = lines.toString().trim().split('\n');
  return encodeEvents(
    texts.map((text): EventRow => ({ ...EMPTY, ...JSON.parse(text) })),
    createScheduler(),
  );
}

const UUID = Buffer.from('"uuid":"');

/** Replaces the uuid of every row in place, which makes the same bytes new rows. */
export function renew(batch: Buffer, round: number): void {
  const digits = Buffer.from(round.toString(16).padStart(8, '0'));
  for (let at = batch.indexOf(UUID); at >= 0; at = batch.indexOf(UUID, at + UUID.length)) digits.copy(batch, at + UUID.length);
}
