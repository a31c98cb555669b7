import { type RawBuilder, sql } from 'kysely';
import { likePattern } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import { type FlagRow, flagColumns, isConstant } from './store.js';

/** Which flags a list has; undefined fields match all. */
export interface FlagFilter {
  search?: string | undefined;
  /** `STALE`: flags that are stale as of `stale_since`. */
  active?: boolean | 'STALE' | undefined;
  stale_since: Date;
  created_by?: readonly number[] | undefined;
  /** Flags with any of these tags. */
  tags?: readonly string[] | undefined;
  type?: FlagType | undefined;
  evaluation_runtime?: string | undefined;
}

export const FLAG_TYPES = ['boolean', 'multivariant', 'experiment', 'remote_config'] as const;
export type FlagType = (typeof FLAG_TYPES)[number];

/** The caller, and the flags that the access rules hide from them. */
export interface Reader {
  userId: number;
  hidden: readonly number[];
}

/** Excludes the targeting flags of surveys, because they change with their survey. */
const OF_NO_SURVEY = sql`not exists (select from surveys s where s.targeting_flag_id = f.id and s.owns_targeting_flag)`;

const ORDERS = {
  created_at: sql`f.created_at`,
  updated_at: sql`f.updated_at`,
  key: sql`f.key`,
  name: sql`f.name`,
  id: sql`f.id`,
};
export type OrderField = keyof typeof ORDERS;
export interface Order {
  field: OrderField;
  descending: boolean;
}
export const isOrderField = (name: string): name is OrderField => Object.hasOwn(ORDERS, name);

export interface Slice {
  limit: number;
  offset: number;
  order: Order;
}

/** Lists a page of the flags that are not deleted, and counts all of them. */
export async function listFlags(
  db: Db,
  projectId: number,
  { userId, hidden }: Reader,
  filter: FlagFilter,
  { limit, offset, order }: Slice,
): Promise<{ count: number; flags: FlagRow[] }> {
  const direction = order.descending ? sql`desc` : sql`asc`;
  const seen = hidden.length === 0 ? [] : [sql`(f.id <> all (${hidden}::int[]) or f.created_by = ${userId})`];
  const where = sql.join(
    [sql`f.project_id = ${projectId}`, sql`not f.deleted`, OF_NO_SURVEY, ...seen, ...conditions(filter)],
    sql` and `,
  );
  const { rows } = await sql<FlagRow & { total: number }>`
    select ${flagColumns}, count(*) over () as total from feature_flags f where ${where}
    order by ${ORDERS[order.field]} ${direction}, f.id ${direction} limit ${limit} offset ${offset}`.execute(db);
  if (rows[0] || offset === 0) return { count: rows[0]?.total ?? 0, flags: rows };
  const all = await sql<{ total: number }>`select count(*) as total from feature_flags f where ${where}`.execute(db);
  return { count: all.rows[0]?.total ?? 0, flags: [] };
}

const HAS_VARIANTS = sql`jsonb_path_exists(f.filters, '$.multivariate.variants[*]', '{}', true)`;
const TYPES: Record<FlagType, RawBuilder<unknown>> = {
  boolean: sql`(not f.is_remote_configuration and not ${HAS_VARIANTS})`,
  multivariant: HAS_VARIANTS,
  experiment: sql`exists (select from experiments e where e.feature_flag_id = f.id and not e.deleted)`,
  remote_config: sql`f.is_remote_configuration`,
};

function conditions(filter: FlagFilter): RawBuilder<unknown>[] {
  const found: RawBuilder<unknown>[] = [];
  if (filter.active === 'STALE') found.push(isStale(filter.stale_since));
  else if (filter.active !== undefined) found.push(sql`f.active = ${filter.active}`);
  if (filter.created_by) found.push(sql`f.created_by = any (${filter.created_by}::int[])`);
  if (filter.tags) found.push(sql`f.tags && ${filter.tags}::text[]`);
  if (filter.type) found.push(TYPES[filter.type]);
  if (filter.evaluation_runtime) found.push(sql`f.evaluation_runtime = ${filter.evaluation_runtime}`);
  if (filter.search !== undefined) {
    const pattern = likePattern(filter.search);
    found.push(sql`(f.key ilike ${pattern} or f.name ilike ${pattern}
      or exists (select from experiments e where e.feature_flag_id = f.id and not e.deleted and e.name ilike ${pattern}))`);
  }
  return found;
}

/** Condition for a stale flag; status.ts has the reasons. `since`: 30 days ago. */
const isStale = (since: Date) =>
  sql<boolean>`(f.active and f.created_at < ${since}
    and (coalesce(f.last_called_at, f.created_at) < ${since} or (f.updated_at < ${since} and ${isConstant})))`;
