import { sql } from 'kysely';
import { visibleProjects } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import type { Db } from '../../ports/db.js';

const columns = [
  'id',
  'uuid',
  'organization_id',
  'name',
  'api_token',
  'timezone',
  'access_control',
  'anonymize_ips',
  'is_demo',
  'ingested_event',
  'settings',
  'created_at',
  'updated_at',
] as const;

const aliased = columns.map((column) => `p.${column}` as const);

export type ProjectRow = NonNullable<Awaited<ReturnType<typeof readProject>>>;
export type GroupTypeRow = Awaited<ReturnType<typeof groupTypesOf>>[number];

/** The fields of a new project. */
export interface NewProject {
  organizationId: string;
  name: string;
  /** Null: made here. */
  apiToken: string | null;
  timezone?: string | undefined;
  accessControl?: boolean | undefined;
  anonymizeIps?: boolean | undefined;
  settings?: Record<string, unknown>;
}

export const newProjectKey = (deps: Pick<Deps, 'ids'>): string => `tmk_${deps.ids.token(32)}`;

/** Creates a project; violates the unique constraint of `api_token` when a key is taken. */
export function insertProject(db: Db, deps: Pick<Deps, 'clock' | 'ids'>, project: NewProject) {
  const now = new Date(deps.clock.now());
  return db
    .insertInto('projects')
    .values({
      uuid: deps.ids.uuid(),
      organization_id: project.organizationId,
      name: project.name,
      api_token: project.apiToken ?? newProjectKey(deps),
      timezone: project.timezone,
      access_control: project.accessControl,
      anonymize_ips: project.anonymizeIps,
      settings: jsonColumn(project.settings ?? {}),
      created_at: now,
      updated_at: now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Fields of a project to change; undefined fields stay. */
export interface ProjectChange {
  name?: string | undefined;
  timezone?: string | undefined;
  accessControl?: boolean | undefined;
  anonymizeIps?: boolean | undefined;
  apiToken?: string;
  /** Merged into the stored settings by one statement, so that two writers of different settings do not overwrite each other. */
  settings?: Record<string, unknown>;
}

export function updateProject(db: Db, projectId: number, change: ProjectChange, now: Date) {
  return db
    .updateTable('projects')
    .set({
      name: change.name,
      timezone: change.timezone,
      access_control: change.accessControl,
      anonymize_ips: change.anonymizeIps,
      api_token: change.apiToken,
      settings: sql`settings || ${jsonColumn(change.settings ?? {})}::jsonb`,
      updated_at: now,
    })
    .where('id', '=', projectId)
    .returning(columns)
    .executeTakeFirst();
}

export const readProject = (db: Db, projectId: number) =>
  db.selectFrom('projects').select(columns).where('id', '=', projectId).executeTakeFirst();

/** Reads a project and locks it until the transaction ends. */
export const lockProject = (tx: Db, projectId: number): Promise<ProjectRow | undefined> =>
  tx.selectFrom('projects').select(columns).where('id', '=', projectId).forNoKeyUpdate().executeTakeFirst();

/** Whether a project has the dashboard; it is not deleted until the transaction ends. */
export async function holdDashboard(tx: Db, projectId: number, id: number): Promise<boolean> {
  const { rows } = await sql`
    select from dashboards where project_id = ${projectId} and id = ${id} and not deleted for share`.execute(tx);
  return rows.length > 0;
}

export async function deleteProject(db: Db, projectId: number): Promise<void> {
  await db.deleteFrom('projects').where('id', '=', projectId).execute();
}

/** The projects of some organizations that a user may see: one page, and how many there are. */
export async function listProjects(
  db: Db,
  userId: number,
  organizations: readonly string[],
  page: Page,
): Promise<{ count: number; rows: ProjectRow[] }> {
  if (organizations.length === 0) return { count: 0, rows: [] };
  const visible = visibleProjects(db, userId).where('p.organization_id', 'in', organizations);
  const { count } = await visible.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const rows = await visible.select(aliased).orderBy('p.id').limit(page.limit).offset(page.offset).execute();
  return { count, rows };
}

/** Every project of some organizations that a user may see. */
export const allProjects = (db: Db, userId: number, organizations: readonly string[]): Promise<ProjectRow[]> =>
  organizations.length === 0
    ? Promise.resolve([])
    : visibleProjects(db, userId).where('p.organization_id', 'in', organizations).select(aliased).orderBy('p.id').execute();

/** How many rows a project has of a kind, how many of them are older than `before`, and when the oldest is of. */
export interface Ages {
  total: number;
  old: number;
  oldest: Date | null;
}

/** Ages of what PostgreSQL has of a project. `before`: null keeps all. */
export async function agesOf(
  db: Db,
  projectId: number,
  before: Record<'recordings' | 'exports' | 'activity', Date | null>,
): Promise<Record<'recordings' | 'exports' | 'activity', Ages>> {
  const ages = async (from: string, time: string, limit: Date | null, more = sql``): Promise<Ages> => {
    const { rows } = await sql<Ages>`
      select count(*)::int as total, (count(*) filter (where ${sql.ref(time)} < ${limit}::timestamptz))::int as old, min(${sql.ref(time)}) as oldest
      from ${sql.table(from)} where project_id = ${projectId} ${more}`.execute(db);
    return rows[0] ?? { total: 0, old: 0, oldest: null };
  };
  const [recordings, exports, activity] = await Promise.all([
    ages('recordings', 'end_time', before.recordings, sql`and deleted_at is null`),
    ages('exports', 'created_at', before.exports),
    ages('activity_log', 'created_at', before.activity),
  ]);
  return { recordings, exports, activity };
}

export const groupTypesOf = (db: Db, projectId: number) =>
  db
    .selectFrom('group_types')
    .select(['group_type', 'group_type_index', 'name_singular', 'name_plural', 'created_at'])
    .where('project_id', '=', projectId)
    .orderBy('group_type_index')
    .execute();
