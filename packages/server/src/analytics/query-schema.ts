import { z } from 'zod';
import { isObject } from '../kernel/json.js';
import { expressionsFault } from './expression-size.js';
import { refusal } from './fields.js';
import { SCHEMAS } from './kinds/list.js';

const unknownKind = ({ input }: { input?: unknown }): string => {
  if (!isObject(input)) return 'Expected a query: an object with a kind.';
  return input.kind === undefined
    ? 'This field is required.'
    : `${JSON.stringify(input.kind).slice(0, 200)} is not a valid choice.`;
};

const bare = z.discriminatedUnion('kind', SCHEMAS, { error: unknownKind });

const wrapped = z.discriminatedUnion(
  'kind',
  [
    ...SCHEMAS,
    z
      .object({
        kind: z
          .enum(['InsightVizNode', 'DataTableNode', 'DataVisualizationNode'])
          .describe('How an insight shows the result; nothing is computed differently.'),
        source: bare.describe('The query itself.'),
      })
      .transform(({ source }) => source),
  ],
  { error: unknownKind },
);

/** A query, bare or wrapped in a node such as `InsightVizNode`. */
export const querySchema = z.preprocess((query, ctx) => {
  const fault = expressionsFault(query);
  if (fault === null) return query;
  ctx.addIssue(refusal(fault));
  return z.NEVER;
}, wrapped);
