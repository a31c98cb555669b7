import type { EventsStore } from '../../ports/events.js';

/** The store as deletions need it. */
export interface MutationTarget {
  query: EventsStore['query'];
  write(sql: string): Promise<void>;
}

/** The tables in which a deletion of the project's rows is running. */
export async function mutatedTables({ query }: MutationTarget, projectId: number): Promise<Set<string>> {
  const { rows } = await query<{ name: string }>({
    sql: 'SELECT DISTINCT table AS name FROM system.mutations WHERE database = currentDatabase() AND NOT is_done AND match(command, {pattern:String})',
    params: { pattern: `project_id = ${projectId}\\b` },
  });
  return new Set(rows.map(({ name }) => name));
}
