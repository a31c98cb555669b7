import { z } from 'zod';
import { text } from '../../../http/fields.js';
import { absent, count, dateText, flag, refusal } from '../../fields.js';
import type { FilterGroup } from '../../filter.js';
import { filters } from '../../filter-schema.js';
import { type Expr, SqlFault, type SqlSelect } from './ast.js';
import { parseStatement } from './parse-select.js';

/** A select written by a user over the tables of the project. */
export interface HogQLQuery {
  kind: 'HogQLQuery';
  /** The source text. */
  text: string;
  /** The syntax tree with resolved placeholders. A function, so that JSON cache keys do not include it. */
  statement: () => SqlSelect;
  /** Values of the placeholders: part of the cache key, as `text` is. */
  values: unknown;
  /** Page of the result; null: the limit of the statement itself. */
  page: { limit: number; offset: number } | null;
  /** What `{filters}` stands for. */
  dateFrom: string | null;
  dateTo: string | null;
  properties: FilterGroup;
  filterTestAccounts: boolean;
}

const MAX_LENGTH = 100_000;
const MAX_VALUES = 1_000;
const MAX_ROWS = 50_000;
const DEFAULT_ROWS = 100;

const constant = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const value = z.union(
  [constant, z.array(constant).max(MAX_VALUES, `There may be ${MAX_VALUES} values.`)],
  'Expected a text, a number, a boolean, null or a list of such.',
);
type Value = z.output<typeof value>;

const filtersSchema = z.object(
  {
    dateRange: absent(
      z.object(
        {
          date_from: absent(dateText('all')).describe(
            'First moment, such as `2026-01-31` or `-7d`; `all`: from the first event on.',
          ),
          date_to: absent(dateText()).describe('Last moment; now if left out.'),
        },
        'Expected an object with date_from and date_to.',
      ),
    ).describe('Which days.'),
    properties: filters(),
    filterTestAccounts: flag().describe('Leaves out the events of tests.'),
  },
  'Expected an object with dateRange and properties.',
);

export const sqlSchema = z
  .object({
    kind: z.literal('HogQLQuery').describe('A select of your own over `events`, `persons`, `groups` and `sessions`.'),
    query: text({ max: MAX_LENGTH })
      .describe('The select.')
      .meta({ example: 'select event, count() from events group by event' }),
    values: absent(z.record(z.string(), value, 'Expected an object.')).describe('Values of `{name}` in the select.'),
    variables: absent(
      z.record(
        z.string(),
        z.object({
          code_name: z.string().describe('How the select calls it.'),
          value: value.optional().describe('What stands for it; null if left out.'),
        }),
        'Expected an object.',
      ),
    ).describe('Variables by their ids: the values of `{variables.code_name}` in the select.'),
    filters: absent(filtersSchema).describe(
      'What `{filters}` in the select stands for: `dateRange`, `properties`, `filterTestAccounts`.',
    ),
    limit: absent(count(1, MAX_ROWS))
      .describe('Rows of the answer, 1 to 50,000, to read a long answer in parts. As many as the select says if left out.')
      .meta({ maximum: MAX_ROWS, minimum: 1 }),
    offset: absent(count(0, 2_147_483_647)).describe('Rows of the answer before the first.').meta({ default: 0, minimum: 0 }),
  })
  .transform((raw, ctx): HogQLQuery => {
    const constants = new Map<Value, Expr>();
    const variables = Object.fromEntries(Object.values(raw.variables ?? {}).map((one) => [one.code_name, one.value ?? null]));
    try {
      const statement = parseStatement(raw.query, (chain) => placeholder(chain, raw.values ?? {}, variables, constants));
      return {
        kind: 'HogQLQuery',
        text: raw.query,
        statement: () => statement,
        values: [raw.values ?? null, variables],
        page: raw.limit == null && raw.offset == null ? null : { limit: raw.limit ?? DEFAULT_ROWS, offset: raw.offset ?? 0 },
        dateFrom: raw.filters?.dateRange?.date_from ?? null,
        dateTo: raw.filters?.dateRange?.date_to ?? null,
        properties: raw.filters?.properties ?? { type: 'AND', values: [] },
        filterTestAccounts: raw.filters?.filterTestAccounts ?? false,
      };
    } catch (error) {
      if (!(error instanceof SqlFault)) throw error;
      ctx.addIssue(refusal(error.message, 'invalid_input', ['query']));
      return z.NEVER;
    }
  })
  .meta({ id: 'HogQLQuery', description: 'A select of your own, read-only, over the tables of the project.' });

function placeholder(
  [first = '', second, ...more]: string[],
  values: Record<string, Value>,
  variables: Record<string, Value>,
  constants: Map<Value, Expr>,
): Expr {
  const isVariable = first === 'variables' && second !== undefined && more.length === 0;
  const [name, all] = isVariable ? [second, variables] : [first, values];
  if ((isVariable || second === undefined) && Object.hasOwn(all, name)) {
    const value = all[name] ?? null;
    // convert a long list only once, however often it is used
    const known = constants.get(value) ?? constantOf(value);
    constants.set(value, known);
    return known;
  }
  if (first === 'filters' && second === undefined) return { is: 'filters' };
  throw new SqlFault(`{${[first, ...(second === undefined ? [] : [second]), ...more].join('.').slice(0, 200)}} has no value.`);
}

function constantOf(value: Value): Expr {
  if (Array.isArray(value)) return { is: 'tuple', of: value.map(constantOf) };
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new SqlFault('Null characters are not allowed.');
    return { is: 'text', value };
  }
  if (typeof value !== 'number') return { is: 'constant', value: value === null ? 'null' : value ? 'true' : 'false' };
  if (!Number.isFinite(value)) throw new SqlFault('A number is out of range.');
  const number: Expr = { is: 'number', value: String(Math.abs(value)) };
  return value < 0 ? { is: 'minus', of: number } : number;
}
