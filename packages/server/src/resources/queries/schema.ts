import { z } from 'zod';
import { querySchema, REFRESH_MODES, type RefreshMode } from '../../analytics/index.js';
import { bool, choice, nullable, object, optional, text } from '../../http/fields.js';
import { figureFields, stalenessParam } from '../results/index.js';

const refresh = z
  .preprocess(
    (value) => (typeof value === 'string' && /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value),
    z.union([z.null(), z.boolean(), choice(REFRESH_MODES)]),
  )
  .transform((value): RefreshMode => {
    if (typeof value === 'boolean') return value ? 'force_blocking' : 'force_cache';
    return value ?? 'blocking';
  })
  .meta({ type: ['string', 'boolean', 'null'], enum: [...REFRESH_MODES, true, false, null], default: 'blocking' });

const override = optional(nullable(object('Expected an object.')));

export const bodySchema = z
  .object({
    query: querySchema.describe('The query, bare or in the node by which an insight wraps it.'),
    refresh: optional(refresh).describe(
      'Whether the result may come from the cache. `blocking`: the cached result if no event was stored since or it is younger than `staleness`, else computed now. `force_blocking` or true: computed now. `async`, `force_async`: the same in the background, to be polled. `lazy_async`: as `async`, with the cached result meanwhile. `async_except_on_cache_miss`: as `async`, but computed now if none is cached. `force_cache` or false: only the cached result.',
    ),
    staleness: stalenessParam,
    async: optional(bool()).describe('True: as `refresh` `async`.'),
    client_query_id: optional(z.union([z.null(), text({ max: 200 })])).describe(
      'A name of your choice by which the computation can be polled and ended.',
    ),
    filters_override: override.describe(
      'Overrides of the query, like the filters of a dashboard: `date_from`, `date_to` and `breakdown_filter` replace its own, `properties` are added.',
    ),
    variables_override: override.describe('Values for variables that the query has, by their ids.'),
  })
  .meta({
    example: {
      query: {
        kind: 'TrendsQuery',
        series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
        dateRange: { date_from: '-7d' },
      },
    },
  });

/** An ISO date-time of a response. */
const time = (description: string) => z.iso.datetime({ offset: true }).nullable().describe(description);

/** State of a background query. */
export const statusSchema = z
  .object({
    id: z.string().describe('Its name, for `GET` and `DELETE query/:id/`.'),
    team_id: z.int().describe('Number of the project.'),
    query_async: z.literal(true).describe('That it runs in the background.'),
    complete: z.boolean().describe('Whether it has ended.'),
    error: z.boolean().describe('Whether it has failed.'),
    error_message: z.string().nullable().describe('Why it has failed.'),
    results: z.looseObject({}).nullable().describe('The answer, once it is there.'),
    start_time: time('When it was begun.'),
    end_time: time('When it ended.'),
    expiration_time: time('Until when it can be polled.'),
  })
  .meta({ id: 'QueryStatus', description: 'How far a query in the background is.' });

export const resultSchema = z
  .looseObject({
    results: z.unknown().describe('The answer, in the form of its kind; null while there is none.'),
    columns: z.array(z.string()).optional().describe('Of lists: the columns, in the order of the values.'),
    types: z.array(z.unknown()).optional().describe('Of lists: the type of each column.'),
    hasMore: z.boolean().optional().describe('Whether there are more rows after the last.'),
    limit: z.int().optional().describe('Of lists: rows at most.'),
    offset: z.int().optional().describe('Of lists: rows before the first.'),
    warnings: z.array(z.string()).optional().describe('What of the query was ignored, a sentence each.'),
    ...figureFields,
    is_cached: z.boolean().describe('Whether the result was computed before.'),
    last_refresh: time('When the result was computed; null while there is none.'),
    complete_until: time('The result contains everything that was acknowledged before this time; null while there is none.'),
    cache_key: z.string().describe('The same for questions with the same answer.'),
    timezone: z.string().describe('Time zone in which days begin.'),
    query_status: statusSchema.nullable().describe('Of the computation that was begun in the background.'),
  })
  .meta({ id: 'QueryResult', description: 'Answers a query; `results` and further fields are those of its kind.' });

export const statusAnswer = z
  .object({ query_status: statusSchema.describe('How far it is.') })
  .meta({ id: 'QueryStatusAnswer', description: 'Answers the poll of a query.' });
