import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { timeSchema } from '../../http/dates.js';
import {
  bool,
  incorrectTypeMessage,
  integer,
  list,
  nullable,
  object,
  optional,
  tagList,
  text,
  toPrimaryKey,
} from '../../http/fields.js';
import { pageOf } from '../../http/pagination.js';
import type { ErrorCode } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { figureFields, overrideParam, refreshParam, stalenessParam } from '../results/index.js';
import { queryFault } from './query-kind.js';

/** The parameter of paths to one insight. */
export const insightParams = { id: z.string().describe('Number or short id of the insight.') };

/** Query parameters of one insight. */
export const retrieveQuery = z.object({
  refresh: refreshParam,
  staleness: stalenessParam,
  from_dashboard: optional(integer()).describe('A dashboard that it is on, whose filters and variables override its own.'),
  filters_override: overrideParam('filters_override').describe(
    'JSON object that overrides the filters, for this response alone.',
  ),
  variables_override: overrideParam('variables_override').describe(
    'JSON object that overrides the variables, for this response alone.',
  ),
});
export type RetrieveQuery = z.output<typeof retrieveQuery>;

function refuse(ctx: z.core.$RefinementCtx<unknown>, code: ErrorCode, message: string): never {
  ctx.addIssue({ code: 'custom', message, params: { code }, input: ctx.value });
  return z.NEVER;
}

const title = nullable(text({ max: 400, blank: true }));

const query = z
  .unknown()
  .transform((value, ctx): JsonObject => {
    const fault = queryFault(value);
    if (fault === null && isObject(value)) return value;
    return refuse(ctx, fault?.endsWith('choice.') ? 'invalid_choice' : 'invalid_input', fault ?? '');
  })
  .meta({ type: 'object', additionalProperties: true });

/** Ids of dashboards, which need not exist. The error of an id is that of the whole field. */
const dashboardIds = list(z.unknown())
  .transform((values, ctx): number[] => {
    const ids = values.map(toPrimaryKey);
    const wrong = ids.indexOf(null);
    if (wrong >= 0) return refuse(ctx, 'incorrect_type', incorrectTypeMessage(values[wrong]));
    return [...new Set(ids)].filter((id) => id !== null);
  })
  .meta({ type: 'array', items: { type: 'integer' } });

/** The body of POST, PATCH and PUT. Fields are validated in this order, and the first error is the response. */
export const fieldsSchema = z
  .object({
    name: optional(title).describe('Name; null: none.'),
    derived_name: optional(title).describe('Name made from the query, shown when there is no other.'),
    query: optional(nullable(query)).describe(
      'The query: an `InsightVizNode`, `DataVisualizationNode` or `DataTableNode`, or the `source` of one.',
    ),
    filters: optional(nullable(object())).describe(
      'The query in its older form, stored as sent. Without a `query` it is translated to one.',
    ),
    order: optional(nullable(integer())).describe('Position, for older clients.'),
    deleted: optional(bool()).describe('True deletes the insight and takes it off its dashboards; false restores it.'),
    dashboards: optional(dashboardIds).describe('All dashboards to put it on. You need the right to edit those that change.'),
    description: optional(nullable(text({ blank: true }))).describe('What it shows.'),
    tags: optional(nullable(tagList)).describe('All its tags; they are trimmed and lower-cased. Null changes nothing.'),
    favorited: optional(bool()).describe('Whether it is marked as a favourite.'),
    saved: optional(bool()).describe('Whether it is saved, or was only viewed.'),
  })
  .meta({
    example: {
      name: 'Sign-ups a day',
      query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed_up' }] } },
      dashboards: [],
      tags: ['growth'],
    },
  });
export type InsightFields = z.output<typeof fieldsSchema>;

const free = z.record(z.string(), z.unknown());
const { effective_restriction_level, effective_privilege_level, user_access_level } = accessFieldsSchema;

const place = z.object({
  id: z.int().describe('The tile.'),
  dashboard_id: z.int().describe('The dashboard that the tile is on.'),
  deleted: z.boolean().describe('Always false: removed tiles are left out.'),
});

/** The fields of lists with `basic=true`. */
const basic = {
  id: z.int().describe('Number of the insight.'),
  short_id: z.string().describe('8 characters that stand for the insight in addresses.'),
  name: z.string().nullable().describe('Name that a person gave it.'),
  derived_name: z.string().nullable().describe('Name made from the query, for insights without one.'),
  query: free.nullable().describe('The query: a node with a `kind`, most often wrapped in an `InsightVizNode`.'),
  filters: free.describe('The query in its older form; `{}` for insights with a query.'),
  dashboards: z.array(z.int()).describe('The dashboards that it is on.'),
  dashboard_tiles: z.array(place).describe('Its tiles on these dashboards.'),
  description: z.string().describe('What it shows; may be empty.'),
  last_refresh: timeSchema('When the result was computed; null while there is none.').nullable(),
  saved: z.boolean().describe('Whether somebody saved it, or only viewed it.'),
  tags: z.array(z.string()).describe('Tags, in lower case.'),
  favorited: z.boolean().describe('Whether it is marked as a favourite.'),
  created_at: timeSchema('When it was made.'),
  created_by: userSchema.nullable().describe('Who made it; null for samples and users who are gone.'),
  updated_at: timeSchema('When anything of it last changed.'),
  last_modified_at: timeSchema('When its content last changed.'),
  user_access_level,
};

/** The other fields of an insight. */
const more = {
  order: z.int().nullable().describe('Position, for older clients.'),
  deleted: z.boolean().describe('Whether it is deleted; deleted ones can be restored.'),
  last_modified_by: userSchema.nullable().describe('Who last changed its content.'),
  is_sample: z.boolean().describe('Whether it came with a template and nobody has changed it.'),
  effective_restriction_level: effective_restriction_level.describe(
    'The highest restriction among its dashboards: 21 everyone can edit, 37 collaborators only.',
  ),
  effective_privilege_level: effective_privilege_level.describe(
    'What these restrictions allow you: 37 can edit if you may edit one of its dashboards or it is on none, else 21.',
  ),
  timezone: z.string().nullable().describe('Time zone in which days of the result begin.'),
  result: z.unknown().describe('What the query found; null until it is computed.'),
  hasMore: z.boolean().nullable().describe('Whether the query found more rows than it gives.'),
  columns: z.array(z.unknown()).nullable().describe('Names of the columns of a table.'),
  types: z.array(z.unknown()).nullable().describe('Types of the columns of a table.'),
  hogql: z.string().nullable().describe('The query as text, where it has that form.'),
  is_cached: z.boolean().describe('Whether the result was computed before this request.'),
  complete_until: timeSchema('The result contains everything that was acknowledged before this time.').nullable(),
  query_status: free.nullable().describe('How far a computation in the background is.'),
  cache_target_age: timeSchema('Until when the result counts as fresh.').nullable(),
  next_allowed_client_refresh: timeSchema('From when on it may be computed again.').nullable(),
};

/** How the result of one insight was computed. Lists, tiles and answers to changes leave it out: the SQL is long. */
const explained = {
  ...figureFields,
  effective_query: free
    .nullable()
    .optional()
    .describe('The query that `result` answers: with the filters and variables of the dashboard and of the request.'),
};

/** An insight as responses show it. */
export const insightSchema = z
  .object({ ...basic, ...more, ...explained })
  .meta({ id: 'Insight', description: 'A saved question about events, and what it found.' });

/** An insight in lists: with `basic=true` the optional fields are left out. */
export const insightItemSchema = z
  .object({ ...basic, ...z.object(more).partial().shape })
  .meta({ id: 'InsightItem', description: 'An insight in a list. With `basic=true` the optional fields are left out.' });

export const insightPage = pageOf(insightItemSchema);
