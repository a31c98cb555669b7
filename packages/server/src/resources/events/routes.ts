import { z } from 'zod';
import { querySchema, runQuery } from '../../analytics/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { origin } from '../../http/origin.js';
import { readPage } from '../../http/pagination.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { disconnectSignal } from '../results/index.js';
import { type EventsListQuery, eventsPage, eventsQuery, eventValuesQuery, personValuesQuery, valuesSchema } from './schema.js';

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
    query: eventValuesQuery,
    status: 200,
    response: valuesSchema,
    handle: ({ query, ...context }) => valuesOf(context, { of: 'events', ...query, event: query.event_name || null }),
  }),
  projectRoute({
    method: 'GET',
    path: '/persons/values/',
    scope: 'person:read',
    summary: 'List the most frequent values of a property of persons',
    query: personValuesQuery,
    status: 200,
    response: valuesSchema,
    handle: ({ query, ...context }) => valuesOf(context, { of: 'persons', ...query, event: null }),
  }),
];

async function listEvents(context: ProjectContext & { query: EventsListQuery }) {
  const { deps, project, request, reply, query } = context;
  const { limit, offset } = readPage(request);
  const now = deps.clock.now();
  // the link of the next page has the end of the first one, so that new events do not shift the pages
  const before = query.before || new Date(now + 1).toISOString();
  const fields = {
    kind: 'EventsQuery',
    select: ['*', 'person'],
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
  const { uuid, distinct_id, properties, event, timestamp, elements_chain }: JsonObject = isObject(whole) ? whole : {};
  return { id: uuid, distinct_id, properties, event, timestamp, person, elements: [], elements_chain };
}

/** Number of values in a response. */
const MAX_VALUES = 25;

/** A request for the values of a property. */
interface ValuesRequest {
  of: 'events' | 'persons';
  /** Name of the property. */
  key: string;
  /** Only values that contain this text. */
  value?: string | undefined;
  /** Only events of this name; null: all. */
  event: string | null;
}

/** Lists the most frequent values of a property. @throws ApiError invalid_input: the name cannot be quoted */
async function valuesOf({ deps, project }: ProjectContext, { of, key, value, event }: ValuesRequest) {
  if (/[`\\]/.test(key)) throw new ApiError('invalid_input', 'A property of this name cannot be queried.', 'key');
  const property = `properties.\`${key}\``;
  const conditions = [
    `${property} is not null`,
    ...(value ? [`position(lower(toString(${property})), lower({value})) > 0`] : []),
    ...(event ? ['event = {event}'] : []),
  ];
  const query = `select toString(${property}) as name, count() as times from ${of} where ${conditions.join(' and ')} group by name order by times desc, name limit ${MAX_VALUES}`;
  const parsed = validate(querySchema, { kind: 'HogQLQuery', query, values: { value: value ?? '', event: event ?? '' } });
  const queryContext = { projectId: project.id, timezone: project.timezone, now: deps.clock.now(), db: deps.db };
  const { rows } = rowsOf(await runQuery(deps.events, parsed, queryContext));
  return rows.map(([name, count]) => ({ name: String(name), count: Number(count) }));
}

/** Takes the rows from the result of a query, and whether there are more. */
function rowsOf(result: object): { rows: Json[][]; hasMore: boolean } {
  const list = z.object({ results: z.array(z.array(z.json())), hasMore: z.boolean() }).parse(result);
  return { rows: list.results, hasMore: list.hasMore };
}
