import { z } from 'zod';
import { bool, text } from '../../../http/fields.js';
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
  /** Variables of the select without a value in the query: the project has their defaults. */
  unset: string[];
  /** The same query with the defaults of its variables. @throws SqlFault: a variable has no value */
  withDefaults: (defaults: ReadonlyMap<string, VariableValue>) => HogQLQuery;
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
export type VariableValue = z.output<typeof value>;

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

const rawSchema = z.object({
  kind: z.literal('HogQLQuery').describe('A select of your own over `events`, `persons`, `groups` and `sessions`.'),
  query: text({ max: MAX_LENGTH }).describe('The select.').meta({ example: 'select event, count() from events group by event' }),
  values: absent(z.record(z.string(), value, 'Expected an object.')).describe('Values of `{name}` in the select.'),
  variables: absent(
    z.record(
      z.string(),
      z.object({
        code_name: z.string().describe('How the select calls it.'),
        value: value
          .optional()
          .describe('What stands for it; if left out, the default of the variable, or null if the project has no such variable.'),
        isNull: absent(bool()).describe('True: null stands for it, whatever the default.'),
        variableId: absent(z.string()).describe('Id of the variable, as in the key.'),
      }),
      'Expected an object.',
    ),
  ).describe(
    'Variables by their ids: the values of `{variables.code_name}` in the select. Those that are left out have their defaults.',
  ),
  filters: absent(filtersSchema).describe(
    'What `{filters}` in the select stands for: `dateRange`, `properties`, `filterTestAccounts`.',
  ),
  limit: absent(count(1, MAX_ROWS))
    .describe('Rows of the answer, 1 to 50,000, to read a long answer in parts. As many as the select says if left out.')
    .meta({ maximum: MAX_ROWS, minimum: 1 }),
  offset: absent(count(0, 2_147_483_647)).describe('Rows of the answer before the first.').meta({ default: 0, minimum: 0 }),
});

export const sqlSchema = rawSchema
  .transform((raw, ctx): HogQLQuery => {
    try {
      return readQuery(raw, null);
    } catch (error) {
      if (!(error instanceof SqlFault)) throw error;
      ctx.addIssue(refusal(error.message, 'invalid_input', ['query']));
      return z.NEVER;
    }
  })
  .meta({ id: 'HogQLQuery', description: 'A select of your own, read-only, over the tables of the project.' });

type RawQuery = z.output<typeof rawSchema>;

/** Parses the select. @param defaults of the variables without a value in the query; null: they are not loaded yet. @throws SqlFault */
function readQuery(raw: RawQuery, defaults: ReadonlyMap<string, VariableValue> | null): HogQLQuery {
  const constants = new Map<VariableValue, Expr>();
  const listed = Object.values(raw.variables ?? {});
  const variables = new Map<string, VariableValue>(defaults);
  for (const { code_name: name, value, isNull } of listed) {
    if (isNull) variables.set(name, null);
    else if (value !== undefined) variables.set(name, value);
    else if (defaults && !variables.has(name)) variables.set(name, null);
  }
  const unset = new Set<string>();
  const resolve = (chain: string[]): Expr => {
    const name = variableIn(chain);
    if (name === null || variables.has(name) || defaults) return placeholder(chain, raw.values ?? {}, variables, constants);
    unset.add(name);
    return UNSET;
  };
  const statement = parseStatement(raw.query, resolve);
  return {
    kind: 'HogQLQuery',
    text: raw.query,
    statement: () => statement,
    values: [raw.values ?? null, Object.fromEntries(variables)],
    unset: [...unset],
    withDefaults: (found) => readQuery(raw, found),
    page: raw.limit == null && raw.offset == null ? null : { limit: raw.limit ?? DEFAULT_ROWS, offset: raw.offset ?? 0 },
    dateFrom: raw.filters?.dateRange?.date_from ?? null,
    dateTo: raw.filters?.dateRange?.date_to ?? null,
    properties: raw.filters?.properties ?? { type: 'AND', values: [] },
    filterTestAccounts: raw.filters?.filterTestAccounts ?? false,
  };
}

/** Stands for a variable until its default is loaded: a number, which may stand wherever a value may. */
const UNSET: Expr = { is: 'number', value: '1' };

/** The name of the variable of a placeholder; null: it is none. */
const variableIn = ([first, second, ...more]: string[]): string | null =>
  first === 'variables' && second !== undefined && more.length === 0 ? second : null;

function placeholder(
  chain: string[],
  values: Record<string, VariableValue>,
  variables: ReadonlyMap<string, VariableValue>,
  constants: Map<VariableValue, Expr>,
): Expr {
  const [first = '', second] = chain;
  const variable = variableIn(chain);
  const isKnown = variable === null ? chain.length === 1 && Object.hasOwn(values, first) : variables.has(variable);
  if (isKnown) {
    const value = (variable === null ? values[first] : variables.get(variable)) ?? null;
    // convert a long list only once, however often it is used
    const known = constants.get(value) ?? constantOf(value);
    constants.set(value, known);
    return known;
  }
  if (first === 'filters' && second === undefined) return { is: 'filters' };
  throw new SqlFault(`{${chain.join('.').slice(0, 200)}} has no value.`);
}

function constantOf(value: VariableValue): Expr {
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
