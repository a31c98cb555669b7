import { type ExpressionBuilder, sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import type { DB, Db, DbTransaction } from '../../ports/db.js';
import type { Order, RecordingQuery } from './schema.js';

/** Milliseconds of a recording. */
const DURATION = sql<number>`(extract(epoch from r.end_time - r.start_time) * 1000)::bigint`;
/** Clicks, inputs and active time weigh for what happened; ever more of the same says ever less, and from some point on nothing. */
const SCORE = sql<number>`round((100 * (1 - exp(-least(2000, r.click_count * 2 + r.keypress_count + r.mouse_activity_count * 0.02::float8 +
  r.active_milliseconds / 10000::float8) / 50)))::numeric, 2)::float8`;

const ORDER_BY = {
  start_time: sql`r.start_time`,
  end_time: sql`r.end_time`,
  recording_duration: DURATION,
  active_seconds: sql`r.active_milliseconds`,
  inactive_seconds: sql`${DURATION} - r.active_milliseconds`,
  click_count: sql`r.click_count`,
  keypress_count: sql`r.keypress_count`,
  mouse_activity_count: sql`r.mouse_activity_count`,
  console_error_count: sql`r.console_error_count`,
  activity_score: SCORE,
} satisfies Record<Order, unknown>;

const recordings = (db: Db, projectId: number) =>
  db
    .selectFrom('recordings as r')
    .leftJoin('person_distinct_ids as d', (join) =>
      join.onRef('d.project_id', '=', 'r.project_id').onRef('d.distinct_id', '=', 'r.distinct_id'),
    )
    .leftJoin('persons as p', 'p.id', 'd.person_id')
    .select([
      'r.id',
      'r.session_id',
      'r.distinct_id',
      'r.start_time',
      'r.end_time',
      'r.click_count',
      'r.keypress_count',
      'r.mouse_activity_count',
      'r.console_log_count',
      'r.console_warn_count',
      'r.console_error_count',
      'r.active_milliseconds',
      'r.start_url',
      'r.snapshot_source',
      'r.snapshot_library',
      'r.updated_at',
      'p.uuid as person_uuid',
      SCORE.as('activity_score'),
      sql<
        string[]
      >`array(select u.email from recording_views v join users u on u.id = v.user_id where v.recording_id = r.id order by u.email)`.as(
        'viewers',
      ),
    ])
    .where('r.project_id', '=', projectId)
    .where('r.deleted_at', 'is', null);

export type RecordingRow = Awaited<ReturnType<typeof listRecordings>>[number];

/** A query whose dates were read and whose events were looked up. */
export interface RecordingFilter extends Omit<RecordingQuery, 'date_from' | 'date_to' | 'events'> {
  from: Date | null;
  /** Not included. */
  to: Date | null;
  /** Numbers of recordings that the caller must not see. */
  hidden: readonly number[];
}

/** One more than the page has when there are more. */
export async function listRecordings(db: Db, projectId: number, filter: RecordingFilter, page: Page) {
  let found = db
    .selectFrom('recordings as r')
    .select('r.id')
    .where('r.project_id', '=', projectId)
    .where('r.deleted_at', 'is', null);
  const { from, to, hidden, session_ids, distinct_ids, person_uuid, min_duration, max_duration, url, snapshot_source } = filter;
  if (from) found = found.where('r.start_time', '>=', from);
  if (to) found = found.where('r.start_time', '<', to);
  if (hidden.length > 0) found = found.where('r.id', 'not in', hidden);
  if (session_ids) found = found.where('r.session_id', 'in', session_ids);
  if (distinct_ids) found = found.where('r.distinct_id', 'in', distinct_ids);
  if (person_uuid) found = found.where((eb) => ofPerson(eb, projectId, person_uuid));
  if (min_duration !== undefined) found = found.where(DURATION, '>=', Math.ceil(min_duration * 1000));
  if (max_duration !== undefined) found = found.where(DURATION, '<=', Math.floor(max_duration * 1000));
  if (snapshot_source) found = found.where('r.snapshot_source', '=', snapshot_source);
  if (url) found = found.where(sql<boolean>`exists (select from unnest(r.urls) u where position(${url} in u) > 0)`);
  const direction = filter.order_direction === 'ASC' ? 'asc' : 'desc';
  const order = ORDER_BY[filter.order ?? 'start_time'];
  // persons and viewers are looked up for the page alone, not for what comes before it
  const ids = found
    .orderBy(order, direction)
    .orderBy('r.id', direction)
    .limit(page.limit + 1)
    .offset(page.offset);
  return recordings(db, projectId).where('r.id', 'in', ids).orderBy(order, direction).orderBy('r.id', direction).execute();
}

const ofPerson = (eb: ExpressionBuilder<DB & { r: DB['recordings'] }, 'r'>, projectId: number, uuid: string) =>
  eb('r.distinct_id', 'in', (inner) =>
    inner
      .selectFrom('person_distinct_ids as pd')
      .innerJoin('persons as pp', 'pp.id', 'pd.person_id')
      .select('pd.distinct_id')
      .where('pd.project_id', '=', projectId)
      .where(sql<string>`pp.uuid::text`, '=', uuid.toLowerCase()),
  );

export const findRecordingRow = (db: Db, projectId: number, sessionId: string): Promise<RecordingRow | undefined> =>
  recordings(db, projectId).where('r.session_id', '=', sessionId).executeTakeFirst();

export async function setViewed(db: Db, recordingId: number, userId: number, viewed: boolean, now: Date): Promise<void> {
  if (viewed) {
    await db
      .insertInto('recording_views')
      .values({ recording_id: recordingId, user_id: userId, viewed_at: now })
      .onConflict((conflict) => conflict.columns(['recording_id', 'user_id']).doUpdateSet({ viewed_at: now }))
      .execute();
  } else {
    await db.deleteFrom('recording_views').where('recording_id', '=', recordingId).where('user_id', '=', userId).execute();
  }
}

/** Recordings among these sessions that are there. */
export const presentRecordings = (db: Db, projectId: number, sessionIds: readonly string[]) =>
  db
    .selectFrom('recordings')
    .select(['id', 'session_id'])
    .where('project_id', '=', projectId)
    .where('session_id', 'in', sessionIds)
    .where('deleted_at', 'is', null)
    .execute();

/** Recordings of these distinct ids. */
export const recordingsOf = (db: Db, projectId: number, distinctIds: readonly string[]) =>
  db
    .selectFrom('recordings')
    .select(['id', 'session_id', 'start_time', 'end_time', 'start_url', 'click_count', 'keypress_count', 'size'])
    .where('project_id', '=', projectId)
    .where((eb) => eb('distinct_id', '=', eb.fn.any(eb.val(distinctIds))))
    .where('deleted_at', 'is', null)
    .orderBy('start_time')
    .execute();

/** Empties recordings; that they were deleted stays known, so that what still comes of them is thrown away. */
export async function deleteRecordings(
  tx: DbTransaction,
  projectId: number,
  found: readonly { id: number; prefix: string }[],
  now: Date,
): Promise<void> {
  if (found.length === 0) return;
  const ids = found.map(({ id }) => id);
  await sql`
    update recordings set deleted_at = ${now}, distinct_id = '', start_url = null, urls = '{}'
    where project_id = ${projectId} and id = any(${ids}::bigint[])`.execute(tx);
  for (const table of ['recording_chunks', 'recording_views', 'sharing_configurations'] as const) {
    await tx.deleteFrom(table).where('recording_id', 'in', ids).execute();
  }
  await tx
    .insertInto('blob_purges')
    .values(found.map(({ prefix }) => ({ prefix, created_at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
