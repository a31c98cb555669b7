import { sql } from 'kysely';
import type { Db } from '../ports/db.js';

/** An action as it is stored. */
export interface StoredAction {
  id: number;
  name: string | null;
  steps: unknown;
}

/** Reads the actions of a project that exist among `ids`. */
export async function readActions(db: Db, projectId: number, ids: readonly number[]): Promise<StoredAction[]> {
  // larger numbers do not fit int4, and no row has them
  const possible = ids.filter((id) => Math.abs(id) < 2 ** 31);
  if (possible.length === 0) return [];
  const { rows } = await sql<StoredAction>`
    select id, name, steps from actions
    where project_id = ${projectId} and not deleted and id = any (${possible}::int[]) order by id`.execute(db);
  return rows;
}
