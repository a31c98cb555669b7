import { sql } from 'kysely';
import { mayShowProfiles, type ProfileOwner, type Query, type RefreshMode, shownProfiles } from '../../analytics/index.js';
import type { Deps } from '../../deps.js';
import type { Db } from '../../ports/db.js';

/*
 * Queries in the background are polled by a name, by anybody in the project. Whose profiles the runs of a name show is stored before a
 * run begins, and names only gain profiles: no poll finds a run without what it shows.
 */

/** How long it is remembered what runs of a name show: longer than their results are; milliseconds. */
const RETENTION_MS = 60 * 60_000;

/**
 * The name for the run of a query, after it is stored whose profiles it shows. To be called before the run begins.
 * @param queryId the name that the client gave; null: none
 * @returns null: the run may have any name
 */
export async function nameRun(
  { db, clock, ids }: Deps,
  projectId: number,
  query: Query,
  { refresh, queryId }: { refresh: RefreshMode; queryId: string | null },
): Promise<string | null> {
  if (!refresh.includes('async') || !mayShowProfiles(query)) return queryId;
  const shown = await shownProfiles(query, { db, projectId });
  if (shown.length === 0) return queryId;
  const name = queryId ?? ids.uuid();
  await markRuns(db, projectId, name, [...new Set(shown.map(({ of }) => of))], new Date(clock.now()));
  return name;
}

async function markRuns(db: Db, projectId: number, name: string, profiles: readonly ProfileOwner[], now: Date): Promise<void> {
  await db
    .deleteFrom('query_run_profiles')
    .where('marked_at', '<', new Date(now.getTime() - RETENTION_MS))
    .execute();
  await db
    .insertInto('query_run_profiles')
    .values({ project_id: projectId, name, profiles: [...profiles], marked_at: now })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'name']).doUpdateSet({
        profiles: sql`(select array(select distinct unnest(query_run_profiles.profiles || excluded.profiles)))`,
        marked_at: now,
      }),
    )
    .execute();
}

/** Whose profiles the runs of a name may show. */
export async function profilesOfRuns(db: Db, projectId: number, name: string): Promise<ProfileOwner[]> {
  const row = await db
    .selectFrom('query_run_profiles')
    .select('profiles')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  return (['person', 'group'] as const).filter((one) => row?.profiles.includes(one));
}
