import type { EventTables } from '../../ports/events.js';
import { type MutationTarget, mutatedTables } from './mutations.js';

const TABLES = ['events', 'persons', 'person_overrides', 'groups'] as const satisfies (keyof EventTables)[];

/**
 * Begins to delete the rows of a project where there are any, and nobody is at it. The engine rewrites the parts of a table that
 * hold some, which may take long, so nobody waits for it.
 */
export async function deleteProject(target: MutationTarget, projectId: number): Promise<boolean> {
  const held = TABLES.map((table) => `(SELECT '${table}' AS name FROM ${table} WHERE project_id = {project:UInt32} LIMIT 1)`);
  const { rows: left } = await target.query<{ name: string }>({ sql: held.join(' UNION ALL '), params: { project: projectId } });
  if (left.length === 0) return true;
  const begun = await mutatedTables(target, projectId);
  for (const { name } of left) {
    if (!begun.has(name)) await target.write(`ALTER TABLE ${name} DELETE WHERE (project_id = ${projectId})`);
  }
  return false;
}
