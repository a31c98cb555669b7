import { z } from 'zod';
import { requireResourceLevel } from '../../access/index.js';
import { findEventValues, findPersonValues, hasReadableValues, querySchema, runQuery } from '../../analytics/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { origin } from '../../http/origin.js';
import { readPage } from '../../http/pagination.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { disconnectSignal, hiddenProfiles, queryAccessOf } from '../results/index.js';
import {
  DEFAULT_VALUES,
  type EventsListQuery,
  type EventValuesQuery,
  eventsPage,
  eventsQuery,
  eventValuesQuery,
  type PersonValuesQuery,
  personValuesQuery,
  valuesSchema,
} from './schema.js';
import { eventsOf } from './store.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const eventRoutes = [
  projectRoute({
    method: 'GET',
    path: '/events/',
    scope: 'query:read',
    summary: 'List events, newest first; queries of kind `EventsQuery` do more',
    query: eventsQuery,
    status: 200,
    response: eventsPage,
    handle: listEvents,
  }),
  projectRoute({
    method: 'GET',
    path: '/events/values/',
    scope: 'query:read',
    summary: 'List the most frequent values of a property of events',
    description:
      'For completion: the last day is read first, then up to 90 days until there are `limit` values. Of each range at most 200,000 events are read, so counts of busy projects are those of a part.',
    query: eventValuesQuery,
    status: 200,
    response: valuesSchema,
    handle: eventValues,
  }),
  projectRoute({
    method: 'GET',
    path: '/persons/values/',
    scope: 'person:read',
    summary: 'List the most frequent values of a property of persons',
    load: requireResourceLevel('person', 'viewer'),
    query: personValuesQuery,
    status: 200,
    response: valuesSchema,
    handle: personValues,
  }),
];

async function listEvents(context: ProjectContext & { query: EventsListQuery }) {
  const { deps, project, request, reply, query } = context;
  const { limit, offset } = readPage(request);
  const now = deps.clock.now();
  // the link of the next page has the end of the first one, so that new events do not shift the pages
  const before = query.before || new Date(now + 1).toISOString();
  const hidden = await hiddenProfiles(queryAccessOf(context));
  const fields = {
    kind: 'EventsQuery',
    // members from whom persons are hidden get the ids that are part of events
    select: hidden.has('person') ? ['*'] : ['*', 'person'],
    event: query.event || null,
    distinctId: query.distinct_id || null,
    personId: query.person_id || null,
    after: query.after || null,
    before,
    properties: query.properties,
    limit,
    offset,
  };
  const parsed = renameErrorFields(() => validate(querySchema, fields));
  const queryContext = {
    projectId: project.id,
    timezone: project.timezone,
    now,
    db: deps.db,
    signal: disconnectSignal(reply.raw),
  };
  const { rows, hasMore } = rowsOf(await runQuery(deps.events, parsed, queryContext));
  const url = new URL(request.url, origin(request));
  for (const [name, value] of Object.entries({ before, limit: String(limit), offset: String(offset + limit) })) {
    url.searchParams.set(name, value);
  }
  return { next: hasMore ? url.toString() : null, results: rows.map(eventView) };
}

/** Query parameters by the fields of the query that they become. */
const PARAMETERS: Readonly<Record<string, string>> = { distinctId: 'distinct_id', personId: 'person_id' };

/** Runs a validation, and names the query parameter instead of the field of the query in its errors. */
function renameErrorFields<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.body.attr === null) throw error;
    throw new ApiError(error.code, error.body.detail, PARAMETERS[error.body.attr] ?? error.body.attr);
  }
}

function eventView([whole = null, person = null]: readonly Json[]) {
  const { uuid, distinct_id, person_id, properties, event, timestamp, elements_chain }: JsonObject = isObject(whole) ? whole : {};
  const known = person ?? { uuid: person_id, distinct_id, properties: {}, created_at: null };
  return { id: uuid, distinct_id, properties, event, timestamp, person: known, elements: [], elements_chain };
}

/** Checks the name of a property. @throws ApiError invalid_input: it cannot be queried */
function readableKey(key: string): string {
  if (!hasReadableValues(key)) throw new ApiError('invalid_input', 'A property of this name cannot be queried.', 'key');
  return key;
}

async function eventValues({ deps, project, reply, query }: ProjectContext & { query: EventValuesQuery }) {
  const { key, value = '', event_name: name, limit = DEFAULT_VALUES } = query;
  const request = { key: readableKey(key), contains: value, limit, now: deps.clock.now() };
  const events = name ? [name] : await eventsOf(deps.db, project.id, key);
  return findEventValues(deps.events, project.id, { ...request, events }, disconnectSignal(reply.raw));
}

async function personValues({ deps, project, reply, query }: ProjectContext & { query: PersonValuesQuery }) {
  const { key, value = '', limit = DEFAULT_VALUES } = query;
  const request = { key: readableKey(key), contains: value, limit };
  return findPersonValues(deps.events, project.id, request, disconnectSignal(reply.raw));
}

/** Takes the rows from the result of a query, and whether there are more. */
function rowsOf(result: object): { rows: Json[][]; hasMore: boolean } {
  const list = z.object({ results: z.array(z.array(z.json())), hasMore: z.boolean() }).parse(result);
  return { rows: list.results, hasMore: list.hasMore };
}
