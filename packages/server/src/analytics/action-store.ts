import { sql } from 'kysely';
import type { Db } from '../ports/db.js';

/** An action as it is stored. */
export interface StoredAction {
  id: number;
  name: string | null;
  steps: unknown;
}

/** Those of these actions that the project has. */
export async function readActions(db: Db, projectId: number, ids: readonly number[]): Promise<StoredAction[]> {
  // a number that no row can have would not fit the array
  const possible = ids.filter((id) => Math.abs(id) < 2 ** 31);
  if (possible.length === 0) return [];
  const { rows } = await sql<StoredAction>`
    select id, name, steps from actions
    where project_id = ${projectId} and not deleted and id = any (${possible}::int[]) order by id`.execute(db);
  return rows;
}
