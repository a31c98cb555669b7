import type { EventsStore } from '../../ports/events.js';

/** The store as deletions need it. */
export interface MutationTarget {
  query: EventsStore['query'];
  write(sql: string): Promise<void>;
}

/** The tables in which rows of a project are being deleted at this moment. */
export async function mutatedTables({ query }: MutationTarget, projectId: number): Promise<Set<string>> {
  const { rows } = await query<{ name: string }>({
    sql: 'SELECT DISTINCT table AS name FROM system.mutations WHERE database = currentDatabase() AND NOT is_done AND match(command, {begun:String})',
    params: { begun: `project_id = ${projectId}\\b` },
  });
  return new Set(rows.map(({ name }) => name));
}
