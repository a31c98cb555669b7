import { z } from 'zod';
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
import type { ErrorCode } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { queryFault } from './query-kind.js';

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

/** Ids of dashboards; whether these exist is looked at later. A fault of one is a fault of the field. */
const dashboardIds = list(z.unknown())
  .transform((values, ctx): number[] => {
    const ids = values.map(toPrimaryKey);
    const wrong = ids.indexOf(null);
    if (wrong >= 0) return refuse(ctx, 'incorrect_type', incorrectTypeMessage(values[wrong]));
    return [...new Set(ids)].filter((id) => id !== null);
  })
  .meta({ type: 'array', items: { type: 'integer' } });

/** What an insight is made with, and what may be changed of it. The order of the fields is that of their refusals. */
export const fieldsSchema = z
  .object({
    name: optional(title).describe('Name; null: none.'),
    derived_name: optional(title).describe('Name made from the query, shown when there is no other.'),
    query: optional(nullable(query)).describe(
      'The question: an `InsightVizNode`, `DataVisualizationNode`, `DataTableNode` or what they hold.',
    ),
    filters: optional(nullable(object())).describe(
      'The question in its older form, kept as sent; without a `query` it is asked as one.',
    ),
    order: optional(nullable(integer())).describe('Position that older clients keep.'),
    deleted: optional(bool()).describe('True deletes the insight and takes it off its dashboards; false restores it.'),
    dashboards: optional(dashboardIds).describe(
      'All the dashboards that it shall be on; you need to be able to edit those that change.',
    ),
    description: optional(nullable(text({ blank: true }))).describe('What it shows.'),
    tags: optional(nullable(tagList)).describe('All its tags; they are trimmed and lower-cased. Null changes nothing.'),
    favorited: optional(bool()).describe('Whether it is marked as a favourite.'),
    saved: optional(bool()).describe('Whether it is saved, rather than only looked at.'),
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
