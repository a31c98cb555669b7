import { toApiError } from '../http/validate.js';
import { ApiError } from '../kernel/errors.js';
import type { Db } from '../ports/db.js';
import type { EventsStore } from '../ports/events.js';
import { type QuerySettings, readDistinctIds, readQuerySettings } from './cohort-store.js';
import { type Filter, type FilterGroup, MATCH_ALL } from './filter.js';
import { filters } from './filter-schema.js';
import type { KindContext } from './kinds/kind.js';
import { expressionWriter } from './kinds/sql/insight-expression.js';
import { brokenPatterns } from './patterns.js';
import { conditionsWithin, findReferences, type References } from './references.js';
import { PERSON_ID } from './sql/person-id.js';

/** For whom, when and until when a query is computed. */
export interface QueryContext {
  projectId: number;
  timezone: string;
  /** Epoch milliseconds. */
  now: number;
  /** Where the project's settings are, and the cohorts and actions that filters name; without it there are none. */
  db?: Db;
  /** The project's settings, where they were read before: for several queries at once. */
  settings?: QuerySettings | undefined;
  /** Stops the engine when aborted. */
  signal?: AbortSignal;
}

/** What the metadata says of a query: the project's settings, and the cohorts and actions that filters name. */
export interface QueryMetadata extends References {
  weekStart: 0 | 1;
  testAccounts: FilterGroup;
}

/**
 * Looks up what filters, and those against tests when they are asked for, need beside the events.
 * @throws ApiError invalid_input when they name cohorts or actions that cannot be used
 */
export async function loadQueryMetadata(
  asked: readonly Filter[],
  { projectId, db, settings }: QueryContext,
  withoutTests = false,
): Promise<QueryMetadata> {
  const { weekStart, testAccountFilters: tests } =
    settings ?? (db ? await readQuerySettings(db, projectId) : { weekStart: 0 as const, testAccountFilters: [] });
  const testAccounts = withoutTests ? parseTestAccountFilters(tests) : MATCH_ALL;
  const found = db ? await findReferences(db, projectId, [...asked, testAccounts]) : { cohorts: new Map(), actions: new Map() };
  return { weekStart, testAccounts, ...found };
}

/** What a query is computed against, once its filters were looked up. */
export async function createKindContext(
  events: EventsStore,
  asked: readonly Filter[],
  { projectId, timezone, now, db }: QueryContext,
  { weekStart, testAccounts, ...found }: QueryMetadata,
): Promise<KindContext> {
  return {
    projectId,
    moment: { now, timezone },
    weekStart,
    testAccounts,
    brokenPatterns: await brokenPatterns(events, [...asked, testAccounts, ...conditionsWithin(found)]),
    ...found,
    writeExpression: expressionWriter(projectId, { timezone, now }),
    person: PERSON_ID,
    readDistinctIds: async (persons) => (db ? readDistinctIds(db, projectId, persons) : new Map()),
  };
}

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
