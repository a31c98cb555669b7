import type { Db } from '../ports/db.js';
import type { EventsStore } from '../ports/events.js';
import { filtersWithin, findCohorts } from './cohorts.js';
import { executor } from './execute.js';
import type { FilterGroup } from './filter.js';
import { type EventsResult, runEvents } from './kinds/events.js';
import { runTrends, type TrendsResult } from './kinds/trends.js';
import { brokenPatterns } from './patterns.js';
import type { Query } from './query.js';
import type { Cohort } from './sql/filter.js';
import { PERSON_ID } from './sql/source.js';

/** For whom, when and until when a query is computed. */
export interface Asker {
  projectId: number;
  timezone: string;
  /** Epoch milliseconds. */
  now: number;
  /** Where the cohorts are that filters name; without it there are none. */
  db?: Db;
  /** Stops the engine when aborted. */
  signal?: AbortSignal;
}

/**
 * Computes a query over the events of one project.
 * @throws ApiError invalid_input when it asks for too much
 */
export async function runQuery(
  events: EventsStore,
  query: Query,
  { projectId, timezone, now, db, signal }: Asker,
): Promise<EventsResult | TrendsResult> {
  const asked = filtersOf(query);
  const cohorts = db ? await findCohorts(db, projectId, asked) : new Map<number, Cohort>();
  const context = {
    projectId,
    moment: { now, timezone },
    brokenPatterns: await brokenPatterns(events, [...asked, ...filtersWithin(cohorts)]),
    cohorts,
    person: PERSON_ID,
  };
  const execute = executor(events, signal);
  return query.kind === 'EventsQuery' ? runEvents(query, context, execute) : runTrends(query, context, execute);
}

function filtersOf(query: Query): FilterGroup[] {
  if (query.kind === 'EventsQuery') return [query.properties, query.fixedProperties];
  return [query.properties, ...query.series.map(({ properties }) => properties)];
}
