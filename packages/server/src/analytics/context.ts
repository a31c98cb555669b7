import { toApiError } from '../http/validate.js';
import { ApiError } from '../kernel/errors.js';
import type { Db } from '../ports/db.js';
import type { EventsStore } from '../ports/events.js';
import type { Scheduler } from '../ports/system.js';
import { type Filter, type FilterGroup, MATCH_ALL } from './filter.js';
import { filters } from './filter-schema.js';
import type { KindContext } from './kinds/kind.js';
import { expressionWriter } from './kinds/sql/expression.js';
import { brokenPatterns, conditionsWithin, findReferences, type References } from './references.js';
import { PERSON_ID } from './sql/property.js';
import { type QuerySettings, readDistinctIds, readQuerySettings } from './store.js';
import { createZone, type Zone } from './zone.js';

/** Tenant, time and cancellation of one query. */
export interface QueryContext {
  projectId: number;
  timezone: string;
  /** The zone of that name, if the caller has created it for several queries. */
  zone?: Zone;
  /** Epoch milliseconds. */
  now: number;
  /** Source of the project's settings, cohorts and actions. Without it, filters cannot name any. */
  db?: Db;
  /** The project's settings, if the caller has loaded them for several queries at once. */
  settings?: QuerySettings | undefined;
  /** Aborting it stops the statement in the engine. */
  signal?: AbortSignal;
  /** Whether the distinct ids of the project have several events each, which decides how persons are counted. Default: they do not. */
  hasDenseEvents?: () => Promise<boolean>;
  /** Gives other work a turn while a large result is computed; without it, there is none. */
  scheduler?: Pick<Scheduler, 'yield'>;
}

const NO_TURNS = { yield: () => Promise.resolve() };
const NO_SETTINGS: QuerySettings = { weekStart: 0, testAccountFilters: [], staleness: null };

/** What a query needs from PostgreSQL: the project's settings, and the cohorts and actions that filters name. */
export interface QueryMetadata extends References {
  weekStart: 0 | 1;
  testAccounts: FilterGroup;
}

/**
 * Loads the settings of the project and what the filters refer to; with `withoutTests` also the test account filters.
 * @throws ApiError invalid_input if a filter names a cohort or an action that cannot be used
 */
export async function loadQueryMetadata(
  given: readonly Filter[],
  { projectId, db, settings }: QueryContext,
  withoutTests = false,
): Promise<QueryMetadata> {
  const { weekStart, testAccountFilters: tests } = settings ?? (db ? await readQuerySettings(db, projectId) : NO_SETTINGS);
  const testAccounts = withoutTests ? parseTestAccountFilters(tests) : MATCH_ALL;
  const found = db ? await findReferences(db, projectId, [...given, testAccounts]) : { cohorts: new Map(), actions: new Map() };
  return { weekStart, testAccounts, ...found };
}

/** Builds the context that the query kinds write SQL against. */
export async function createKindContext(
  events: EventsStore,
  given: readonly Filter[],
  queryContext: QueryContext,
  { weekStart, testAccounts, ...found }: QueryMetadata,
): Promise<KindContext> {
  const { projectId, now, db, hasDenseEvents, scheduler = NO_TURNS } = queryContext;
  const zone = zoneOf(queryContext);
  return {
    projectId,
    moment: { now, zone },
    weekStart,
    testAccounts,
    brokenPatterns: await brokenPatterns(events, [...given, testAccounts, ...conditionsWithin(found)]),
    ...found,
    writeExpression: expressionWriter(projectId, { now, zone }),
    person: PERSON_ID,
    hasDenseEvents: (await hasDenseEvents?.()) ?? false,
    scheduler,
    readDistinctIds: async (persons) => (db ? readDistinctIds(db, projectId, persons) : new Map()),
  };
}

/** The time zone of a query. */
export const zoneOf = ({ zone, timezone }: QueryContext): Zone => zone ?? createZone(timezone);

function parseTestAccountFilters(tests: unknown): FilterGroup {
  const read = filters().safeParse(tests);
  if (read.success) return read.data;
  const { detail, attr } = toApiError(read.error.issues).body;
  const at = attr === null ? '' : ` (at ${attr})`;
  throw new ApiError(
    'invalid_input',
    `The project's test_account_filters cannot be read${at}: ${detail}`,
    'query__filterTestAccounts',
  );
}
