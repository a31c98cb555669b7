import type { EventsStore, EventTables } from '../../ports/events.js';

/** The store as the deletion needs it. */
interface Target {
  query: EventsStore['query'];
  write(sql: string): Promise<void>;
}

const TABLES = ['events', 'persons', 'person_overrides', 'groups'] as const satisfies (keyof EventTables)[];

/**
 * Begins to delete the rows of a project where there are any, and nobody is at it. The engine rewrites the parts of a table that
 * hold some, which may take long, so nobody waits for it.
 */
export async function deleteProject({ query, write }: Target, projectId: number): Promise<boolean> {
  const params = { project: projectId, begun: `project_id = ${projectId}\\b` };
  const held = TABLES.map((table) => `(SELECT '${table}' AS name FROM ${table} WHERE project_id = {project:UInt32} LIMIT 1)`);
  const { rows: left } = await query<{ name: string }>({ sql: held.join(' UNION ALL '), params });
  if (left.length === 0) return true;
  const { rows: begun } = await query<{ name: string }>({
    sql: 'SELECT DISTINCT table AS name FROM system.mutations WHERE database = currentDatabase() AND NOT is_done AND match(command, {begun:String})',
    params,
  });
  for (const { name } of left) {
    if (!begun.some((one) => one.name === name)) await write(`ALTER TABLE ${name} DELETE WHERE (project_id = ${projectId})`);
  }
  return false;
}
