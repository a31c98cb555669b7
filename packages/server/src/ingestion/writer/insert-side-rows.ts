import type { Deps } from '../../deps.js';
import { isolate } from '../../kernel/bisect.js';
import { shortIntegers } from '../../kernel/short-integers.js';
import { breathe } from '../../kernel/yield-to-event-loop.js';
import { EventsRejected, type EventTables, type GroupRow, type PersonOverrideRow, type PersonRow } from '../../ports/events.js';
import type { IngestMetrics } from '../metrics.js';
import { fitObject, jsonText } from '../storable.js';

/** What changed beside the events. */
export interface SideRows {
  persons: readonly PersonRow[];
  overrides: readonly PersonOverrideRow[];
  groups: readonly GroupRow[];
}

/**
 * Stores rows of persons, overrides and groups. Storing one again does no harm: of each only the newest version counts.
 * @throws EventsUnavailable | EventsFull
 */
export async function insertSideRows(deps: Deps, rows: SideRows, metrics?: IngestMetrics): Promise<void> {
  await Promise.all([
    insertTable(deps, 'persons', rows.persons.map(fitted), metrics),
    insertTable(deps, 'person_overrides', rows.overrides, metrics),
    insertTable(deps, 'groups', rows.groups.map(fitted), metrics),
  ]);
}

const fitted = <R extends PersonRow | GroupRow>(row: R): R => ({ ...row, properties: fitObject(row.properties) });

async function insertTable<T extends PersonRow | PersonOverrideRow | GroupRow>(
  deps: Deps,
  table: keyof EventTables,
  rows: readonly T[],
  metrics: IngestMetrics | undefined,
): Promise<void> {
  if (rows.length === 0) return;
  const insert = async (part: readonly object[]) => {
    const done = metrics?.insertSeconds.startTimer({ table });
    const bytes = await bytesOfTexts(part.map((row) => `${shortIntegers(JSON.stringify(row))}\n`));
    await deps.events.insert(table, bytes, { token: deps.ids.uuid() });
    done?.();
    metrics?.insertRows.observe({ table }, part.length);
  };
  const isRejection = (error: unknown) => error instanceof EventsRejected;
  const { refused } = await isolate(rows, insert, isRejection);
  const plain = refused.map((row) =>
    'properties' in row ? { ...row, properties: { $raw_properties: jsonText(row.properties) } } : row,
  );
  const hopeless = await isolate(plain, insert, isRejection);
  for (const row of hopeless.refused) {
    deps.log.warn({ table, projectId: row.project_id }, 'the event store refuses this row in any form');
  }
}

/** Texts written between two turns of the event loop: about 3 ms. */
const STRETCH = 1_000;

/** The texts as bytes, one behind the other. Written one by one: a single wide character in a joined text would widen it all. */
async function bytesOfTexts(texts: readonly string[]): Promise<Buffer> {
  let length = 0;
  for (const text of texts) length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const [i, text] of texts.entries()) {
    if (i > 0 && i % STRETCH === 0) await breathe();
    at += bytes.write(text, at, 'utf8');
  }
  return bytes;
}
