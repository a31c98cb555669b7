import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { choice, integer, optional, tag, text } from '../../http/fields.js';
import { type Page, pageParameters } from '../../http/pagination.js';
import { isReadable, type Reader, readOrder, selectPage } from '../../http/select-page.js';
import { isTruthyParameter, queryValues } from '../../http/validate.js';
import { likePattern } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import { staleSince } from './status.js';
import { type FlagRow, flagColumns, isConstant } from './store.js';

const FLAG_TYPES = ['boolean', 'multivariant', 'experiment', 'remote_config'] as const;

const word = () => optional(text({ max: 1000, blank: true }));

/** The query parameters of lists. */
export const listQuery = z.object({
  search: word().describe('Only flags with this text in their key, name or the name of an experiment.'),
  active: word().describe('True: only active flags; false: only inactive ones; `STALE`: only stale ones.'),
  created_by_id: queryValues(integer()).describe('Only flags created by one of these users (numbers).'),
  created_by: queryValues(integer()).describe('As `created_by_id`.'),
  tags: queryValues(tag).describe('Only flags with any of these tags.'),
  type: optional(choice(FLAG_TYPES)).describe('Only flags of this type.'),
  evaluation_runtime: optional(choice(['all', 'client', 'server'])).describe('Only flags with this `evaluation_runtime`.'),
  order: word().describe(
    'Field to sort by: created_at, updated_at, key, name or id, with a minus for descending. Default: -created_at.',
  ),
  ...pageParameters,
});
export type ListQuery = z.output<typeof listQuery>;

/** The filter of a query at `now` (epoch ms). */
export const filterOf = (query: ListQuery, now: number): FlagFilter => ({
  search: query.search || undefined,
  active: activeOf(query.active ?? ''),
  stale_since: staleSince(now),
  created_by: query.created_by_id ?? query.created_by,
  tags: query.tags,
  type: query.type,
  evaluation_runtime: query.evaluation_runtime,
});

function activeOf(word: string): FlagFilter['active'] {
  if (word === '') return undefined;
  return /^stale$/i.test(word) ? 'STALE' : isTruthyParameter(word);
}

/** Which flags a list has; undefined fields match all. */
interface FlagFilter {
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

type FlagType = (typeof FLAG_TYPES)[number];

/** Excludes the targeting flags of surveys, because they change with their survey. */
const OF_NO_SURVEY = sql`not exists (select from surveys s where s.targeting_flag_id = f.id and s.owns_targeting_flag)`;

const ORDERS = {
  created_at: sql`f.created_at`,
  updated_at: sql`f.updated_at`,
  key: sql`f.key`,
  name: sql`f.name`,
  id: sql`f.id`,
};

/** Lists a page of the flags that are not deleted. `order`: as {@link readOrder} reads it. */
export function listFlags(db: Db, projectId: number, reader: Reader, filter: FlagFilter, order: string | undefined, page: Page) {
  const { column, direction } = readOrder(order, ORDERS, '-created_at');
  return selectPage<FlagRow>(
    db,
    {
      columns: flagColumns,
      from: sql`feature_flags f`,
      where: [sql`f.project_id = ${projectId} and not f.deleted`, OF_NO_SURVEY, isReadable('f', reader), ...conditions(filter)],
      orderBy: sql`${column} ${direction}, f.id ${direction}`,
    },
    page,
  );
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
