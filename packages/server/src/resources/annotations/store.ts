import { type RawBuilder, sql } from 'kysely';
import { type User, userJson } from '../../auth/index.js';
import type { Page } from '../../http/pagination.js';
import { containsText, selectPage } from '../../http/select-page.js';
import type { Db } from '../../ports/db.js';
import type { AnnotationScope } from './schema.js';

/** The fields that updates can change. */
export interface AnnotationState {
  content: string | null;
  date_marker: Date | null;
  creation_type: 'USR' | 'GIT';
  scope: AnnotationScope;
  insight_id: number | null;
  dashboard_id: number | null;
  deleted: boolean;
}

/** The insight of an annotation, with the fields that the access rules need. */
export interface AnnotatedInsight {
  id: number;
  created_by: number | null;
  deleted: boolean;
  short_id: string;
  name: string | null;
  derived_name: string | null;
}
/** The dashboard of an annotation. */
export type AnnotatedDashboard = Pick<AnnotatedInsight, 'id' | 'created_by' | 'deleted' | 'name'>;

/** An annotation with its subject and its creator. */
export interface AnnotationRow extends AnnotationState {
  id: number;
  /** The project in which it was made. */
  project_id: number;
  insight: AnnotatedInsight | null;
  dashboard: AnnotatedDashboard | null;
  creator: User | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = sql`a.id, a.project_id, a.content, a.date_marker, a.creation_type, a.scope, a.insight_id, a.dashboard_id, a.deleted,
  a.created_at, a.updated_at, (select ${userJson} from users u where u.id = a.created_by) as creator,
  (select json_build_object('id', i.id, 'created_by', i.created_by, 'deleted', i.deleted, 'short_id', i.short_id, 'name', i.name,
    'derived_name', i.derived_name) from insights i where i.id = a.insight_id) as insight,
  (select json_build_object('id', d.id, 'created_by', d.created_by, 'deleted', d.deleted, 'name', d.name)
    from dashboards d where d.id = a.dashboard_id) as dashboard`;

/** The condition for annotations of the project or of its whole organization. */
const within = (projectId: number) => sql`(a.project_id = ${projectId} or a.scope = 'organization' and a.project_id in (
  select other.id from projects other join projects own on own.organization_id = other.organization_id where own.id = ${projectId}
))`;

/** What the access rules hide from the caller: all objects of a kind (`isClosed`) or some of them, except the caller's own. */
export interface Visibility {
  isClosed: boolean;
  hidden: readonly number[];
}

/** The caller and the filters of a list; undefined: no filter. */
export interface AnnotationFilter {
  userId: number;
  insights: Visibility;
  dashboards: Visibility;
  search: string | undefined;
  scope: AnnotationScope | undefined;
  insightId: number | undefined;
  dashboardId: number | undefined;
}

/** The condition that the caller may see the subject `x` of an annotation. */
const isVisible = ({ isClosed, hidden }: Visibility, userId: number): RawBuilder<unknown> =>
  sql`not x.deleted and (x.created_by is not distinct from ${userId}::int or not (${isClosed} or x.id = any (${hidden}::int[])))`;

/** Lists a page of annotations whose subjects the caller may see, the latest `date_marker` first. */
export function listAnnotations(
  db: Db,
  projectId: number,
  { userId, insights, dashboards, search, scope, insightId, dashboardId }: AnnotationFilter,
  page: Page,
): Promise<{ count: number; rows: AnnotationRow[] }> {
  const conditions: RawBuilder<unknown>[] = [
    within(projectId),
    sql`not a.deleted`,
    sql`(a.scope <> 'dashboard_item' or exists (select from insights x where x.id = a.insight_id and ${isVisible(insights, userId)}))`,
    sql`(a.scope <> 'dashboard' or exists (select from dashboards x where x.id = a.dashboard_id and ${isVisible(dashboards, userId)}))`,
  ];
  if (search !== undefined) conditions.push(containsText(search, 'a.content'));
  if (scope !== undefined) conditions.push(sql`a.scope = ${scope}`);
  // filters must not tell which hidden subject an annotation has
  if (insightId !== undefined)
    conditions.push(sql`exists (select from insights x where x.id = a.insight_id and x.id = ${insightId}
      and x.project_id = ${projectId} and ${isVisible(insights, userId)})`);
  if (dashboardId !== undefined)
    conditions.push(sql`exists (select from dashboards x where x.id = a.dashboard_id and x.id = ${dashboardId}
      and x.project_id = ${projectId} and ${isVisible(dashboards, userId)})`);
  const orderBy = sql`a.date_marker desc nulls last, a.id desc`;
  return selectPage(db, { columns: COLUMNS, from: sql`annotations a`, where: conditions, orderBy }, page);
}

/** An annotation that a chart shows. */
export interface MarkedAnnotation {
  date_marker: Date;
  content: string;
  scope: AnnotationScope;
  insight_id: number | null;
  dashboard_id: number | null;
}

/** The latest annotations of the project and its organization, of a dashboard (null: none) and of insights. */
export async function annotationsOn(
  db: Db,
  projectId: number,
  { dashboardId, insightIds }: { dashboardId: number | null; insightIds: readonly number[] },
  limit: number,
): Promise<MarkedAnnotation[]> {
  const { rows } = await sql<MarkedAnnotation>`
    select a.date_marker, a.content, a.scope, a.insight_id, a.dashboard_id from annotations a
    where ${within(projectId)} and not a.deleted and a.date_marker is not null and a.content <> ''
      and (a.scope in ('project', 'organization') or a.scope = 'dashboard' and a.dashboard_id = ${dashboardId}::int
        or a.scope = 'dashboard_item' and a.insight_id = any (${[...insightIds]}::int[]))
    order by a.date_marker desc, a.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Reads an annotation of the project or its organization, deleted or not. `lock` blocks other writers until the transaction ends. */
export async function readAnnotation(db: Db, projectId: number, id: number, lock = false): Promise<AnnotationRow | null> {
  const locking = lock ? sql`for update of a` : sql``;
  const { rows } = await sql<AnnotationRow>`
    select ${COLUMNS} from annotations a where ${within(projectId)} and a.id = ${id} ${locking}`.execute(db);
  return rows[0] ?? null;
}

/** Inserts an annotation and returns its id. */
export async function insertAnnotation(
  db: Db,
  projectId: number,
  annotation: AnnotationState & { created_by: number },
  now: Date,
): Promise<number> {
  const { id } = await db
    .insertInto('annotations')
    .values({ ...annotation, project_id: projectId, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Updates an annotation; `projectId`: the project where it was made. */
export async function updateAnnotation(db: Db, projectId: number, id: number, state: AnnotationState, now: Date): Promise<void> {
  await db
    .updateTable('annotations')
    .set({ ...state, updated_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}
