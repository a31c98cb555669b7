import type { Deps } from '../../deps.js';
import type { GroupRow, PersonOverrideRow, PersonRow, RowsToInsert } from '../../ports/events.js';
import type { IngestMetrics } from '../metrics.js';
import { fitObject } from '../storable.js';

/** Rows of the dimension tables that the events of a group changed. */
export interface DimensionRows {
  persons: readonly PersonRow[];
  overrides: readonly PersonOverrideRow[];
  groups: readonly GroupRow[];
}

/**
 * Inserts rows of persons, overrides and groups. Idempotent: of each key only the newest version counts.
 * @throws EventsUnavailable | EventsFull
 */
export async function insertDimensionRows(deps: Deps, rows: DimensionRows, metrics?: IngestMetrics): Promise<void> {
  await Promise.all([
    insertTable(deps, 'persons', rows.persons.map(fitted), metrics),
    insertTable(deps, 'person_overrides', rows.overrides, metrics),
    insertTable(deps, 'groups', rows.groups.map(fitted), metrics),
  ]);
}

const fitted = <R extends PersonRow | GroupRow>(row: R): R => ({ ...row, properties: fitObject(row.properties) });

async function insertTable<Table extends 'persons' | 'person_overrides' | 'groups'>(
  deps: Deps,
  table: Table,
  rows: readonly RowsToInsert[Table][],
  metrics: IngestMetrics | undefined,
): Promise<void> {
  if (rows.length === 0) return;
  const done = metrics?.insertSeconds.startTimer({ table });
  const refused = await deps.events.insert(table, rows, { token: deps.ids.uuid() });
  done?.();
  metrics?.insertRows.observe({ table }, rows.length);
  for (const { project_id } of refused) {
    deps.log.warn({ table, projectId: project_id }, 'the event store refuses this row in any form');
  }
}
