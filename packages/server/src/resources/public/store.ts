import { sql } from 'kysely';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/** A published page and its object. */
export interface Share {
  id: number;
  projectId: number;
  timezone: string;
  /** The current token; the visitor may have used the previous one. */
  token: string;
  settings: JsonObject;
  passwordRequired: boolean;
  /** The user who last published the page; null: unknown or deleted. */
  publishedBy: number | null;
  /** The user who created the dashboard or insight; null: deleted, or a recording. */
  createdBy: number | null;
  /** Null: a dashboard or a recording. */
  insightId: number | null;
  /** Null: an insight or a recording. */
  dashboardId: number | null;
  /** Null: a dashboard or an insight. */
  recording: SharedRecording | null;
  name: string | null;
  description: string;
  /** The query of the insight. */
  query: JsonObject | null;
  /** Overrides of the dashboard for its tiles. */
  filters: JsonObject;
  variables: JsonObject;
}

/** A recorded session without its person. */
export interface SharedRecording {
  id: number;
  sessionId: string;
  /** Epoch milliseconds. */
  start: number;
  end: number;
  activeMilliseconds: number;
  clicks: number;
  keys: number;
  errors: number;
  url: string | null;
}

/**
 * The published page of a token, or of a replaced token during its grace period. One statement for all cases, so that its time
 * does not tell why there is no page.
 */
export async function findShare(db: Db, token: string, now: Date): Promise<Share | undefined> {
  const { rows } = await sql<Share>`
    select s.id, s.project_id as "projectId", p.timezone, s.access_token as token, s.settings,
      s.password_required as "passwordRequired", s.dashboard_id as "dashboardId", s.insight_id as "insightId",
      s.published_by as "publishedBy", coalesce(d.created_by, i.created_by) as "createdBy",
      coalesce(d.name, nullif(i.name, ''), i.derived_name) as name, coalesce(d.description, i.description) as description,
      case when r.id is not null then jsonb_build_object(
        'id', r.id, 'sessionId', r.session_id,
        'start', floor(extract(epoch from r.start_time) * 1000), 'end', floor(extract(epoch from r.end_time) * 1000),
        'activeMilliseconds', r.active_milliseconds, 'clicks', r.click_count, 'keys', r.keypress_count,
        'errors', r.console_error_count, 'url', r.start_url) end as recording,
      i.query, coalesce(d.filters, '{}') as filters, coalesce(d.variables, '{}') as variables
    from sharing_configurations s
    join projects p on p.id = s.project_id
    join organizations o on o.id = p.organization_id and o.allow_publicly_shared_resources
    left join dashboards d on d.id = s.dashboard_id and not d.deleted
    left join insights i on i.id = s.insight_id and not i.deleted
    left join recordings r on r.id = s.recording_id and r.deleted_at is null
    where (s.access_token = ${token} or (s.previous_token = ${token} and s.previous_token_expires_at > ${now}))
      and s.enabled and (d.id is not null or i.id is not null or r.id is not null)`.execute(db);
  return rows[0];
}

export interface StoredPassword {
  id: number;
  password_hash: string;
}

/** All passwords of a page. */
export const readPasswords = (db: Db, shareId: number): Promise<StoredPassword[]> =>
  db
    .selectFrom('share_passwords')
    .select(['id', 'password_hash'])
    .where('sharing_configuration_id', '=', shareId)
    .orderBy('id')
    .execute();

/** Counts a view of a page. */
export async function countView(db: Db, shareId: number, now: Date): Promise<void> {
  await sql`
    insert into share_views as v (sharing_configuration_id, day, views)
    values (${shareId}, (${now}::timestamptz at time zone 'UTC')::date, 1)
    on conflict (sharing_configuration_id, day) do update set views = v.views + 1`.execute(db);
}

/** Display options of a public page, from its stored settings. Parameters of the address never change them, but for a range that they allow. */
export interface DisplayOptions {
  /** `system`: the color scheme of the visitor's device. */
  theme: 'light' | 'dark' | 'system';
  hasHeader: boolean;
  hasName: boolean;
  hasDetails: boolean;
  hasNumbers: boolean;
  hasLegend: boolean;
  /** Whether visitors may choose a date range. */
  hasRanges: boolean;
  /** Whether the page links to its picture and its data. */
  hasDownloads: boolean;
  /** Whether charts over time have the annotations of the project. */
  hasAnnotations: boolean;
}

export function displayOptionsOf({
  theme,
  noHeader,
  whitelabel,
  hideExtraDetails,
  detailed,
  legend,
  dateRange,
  downloads,
  annotations,
}: Share['settings']): DisplayOptions {
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    hasHeader: noHeader !== true,
    hasName: whitelabel !== true,
    hasDetails: hideExtraDetails !== true,
    hasNumbers: detailed === true,
    hasLegend: legend !== false,
    hasRanges: dateRange === true,
    hasDownloads: downloads === true,
    hasAnnotations: annotations === true,
  };
}
