import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

/** A survey that runs until it has so many answers. */
export interface LimitedSurvey {
  id: number;
  uuid: string;
  name: string;
  project_id: number;
  organization_id: string;
  responses_limit: number;
}

/** The surveys of all projects that run at a time and have a limit. */
export async function listLimited(db: Db, now: Date): Promise<LimitedSurvey[]> {
  const { rows } = await sql<LimitedSurvey>`
    select s.id, s.uuid, s.name, s.project_id, p.organization_id, s.responses_limit
    from surveys s join projects p on p.id = s.project_id
    where s.responses_limit is not null and not s.archived and s.start_date <= ${now} and (s.end_date is null or s.end_date > ${now})
    order by s.id`.execute(db);
  return rows;
}

/** Ends a survey that still has this limit and no end before; answers whether it did. */
export async function endSurvey(db: Db, projectId: number, id: number, limit: number, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('surveys')
    .set({ end_date: now, updated_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where('responses_limit', '=', limit)
    .where((eb) => eb.or([eb('end_date', 'is', null), eb('end_date', '>', now)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
