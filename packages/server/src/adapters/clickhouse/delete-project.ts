import type { EventTables } from '../../ports/events.js';
import { type MutationTarget, mutatedTables } from './mutations.js';

const TABLES = ['events', 'persons', 'person_overrides', 'groups'] as const satisfies (keyof EventTables)[];

/**
 * Starts to delete the rows of a project in each table that has some and is not being cleared yet. The engine rewrites the affected
 * parts of a table in the background, which may take long.
 * @returns whether no rows are left
 */
export async function deleteProject(target: MutationTarget, projectId: number): Promise<boolean> {
  const selects = TABLES.map((table) => `(SELECT '${table}' AS name FROM ${table} WHERE project_id = {project:UInt32} LIMIT 1)`);
  const { rows: left } = await target.query<{ name: string }>({
    sql: selects.join(' UNION ALL '),
    params: { project: projectId },
  });
  if (left.length === 0) return true;
  const running = await mutatedTables(target, projectId);
  for (const { name } of left) {
    if (!running.has(name)) await target.write(`ALTER TABLE ${name} DELETE WHERE (project_id = ${projectId})`);
  }
  return false;
}
