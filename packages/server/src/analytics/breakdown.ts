import { z } from 'zod';
import { choice } from '../http/fields.js';
import {
  absent,
  count,
  exactText,
  flag,
  groupTypeIndex,
  OWNER_TYPES,
  ownerOf,
  refusal,
  unreadable,
  unsupported,
} from './fields.js';
import { type Expression, readEventExpression } from './kinds/sql/expression.js';
import type { PropertyOwner } from './sql/property.js';

/** A property or SQL expression that breaks a result down by its values. */
export type PropertyBreakdown = ({ owner: PropertyOwner; key: string } | { expression: Expression }) & BreakdownOptions;

/** How raw values become breakdown values. */
interface BreakdownOptions {
  /** Number of histogram bins of equal width; null: no binning. */
  bins: number | null;
  /** Addresses count as one whether they end in `/`, `?` or `#` or not. */
  normalizeUrl: boolean;
}

/** Splits a result by values. Values beyond the `limit` most frequent are merged into "other". */
export interface Breakdown {
  by: { type: 'properties'; properties: PropertyBreakdown[] } | { type: 'cohorts'; cohorts: (number | 'all')[] };
  /** The request had a list of breakdowns: the result then has lists of values. */
  isList: boolean;
  limit: number;
  /** The request set the limit. */
  hasOwnLimit: boolean;
  hideOther: boolean;
}

/** Maximum number of values beside "other". Cohorts are always all shown. */
export const shownValues = ({ by, limit }: Breakdown): number => (by.type === 'cohorts' ? by.cohorts.length : limit);

/** Wire values for events without a value, and for all values beyond the limit. */
export const BREAKDOWN_NULL = '$$_posthog_breakdown_null_$$';
export const BREAKDOWN_OTHER = '$$_posthog_breakdown_other_$$';

const VALUE_TYPES = [...OWNER_TYPES, 'hogql'] as const;
const TYPES = [...VALUE_TYPES, 'cohort'] as const;
const MAX_BREAKDOWNS = 3;
/** Characters of the name of a property, and of an expression. */
const MAX_NAME = 400;
const MAX_EXPRESSION = 10_000;
const MAX_COHORTS = 50;
const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 25;
const MAX_BINS = 100;

const bins = absent(count(1, MAX_BINS)).describe('Ranges of equal size into which numbers are cut.');

const one = z.object({
  property: exactText(MAX_EXPRESSION).describe('Name of the property, or the expression.'),
  type: absent(choice(VALUE_TYPES)).describe('Whose property; `hogql`: an expression of SQL.').meta({ default: 'event' }),
  group_type_index: groupTypeIndex.describe('Which type of groups; `group` needs it.'),
  normalize_url: flag().describe('Addresses count as one whether they end in `/`, `?` or `#` or not.'),
  histogram_bin_count: bins,
});

const names = z.union([
  exactText(MAX_EXPRESSION).transform((name) => [name]),
  z
    .array(z.union([exactText(MAX_EXPRESSION), z.int()]), 'Expected a name or a list.')
    .max(MAX_COHORTS, `There may be ${MAX_COHORTS} values.`),
]);

const filter = z.object(
  {
    breakdown: absent(names).describe(
      'Name of the property, or an expression of SQL; for cohorts a list of their numbers, with `all` for everybody.',
    ),
    breakdown_type: absent(choice(TYPES)).describe('What that names.').meta({ default: 'event' }),
    breakdown_group_type_index: groupTypeIndex.describe('Which type of groups; `group` needs it.'),
    breakdown_normalize_url: flag().describe('As `normalize_url`.'),
    breakdown_histogram_bin_count: bins,
    breakdowns: absent(
      z.array(one, 'Expected a list of breakdowns.').max(MAX_BREAKDOWNS, `There may be ${MAX_BREAKDOWNS} breakdowns.`),
    ).describe('Several properties at once; their values come as lists.'),
    breakdown_limit: absent(count(1, MAX_LIMIT))
      .describe('How many values are shown; the rest is "other". A world map shows all countries by default.')
      .meta({ default: DEFAULT_LIMIT }),
    breakdown_hide_other_aggregation: flag().describe('Leaves "other" out.'),
    breakdown_path_cleaning: unsupported('Values of a breakdown are not cleaned.'),
  },
  'Expected an object with breakdown or breakdowns.',
);

type Fields = z.output<typeof filter>;

/** The field `breakdownFilter`; null: no breakdown. */
export const breakdownField = absent(
  filter.transform((raw, ctx): Breakdown | null => {
    const read = readBreakdown(raw);
    if (read === null || !('path' in read)) return read;
    ctx.addIssue(refusal(read.message, read.message === REQUIRED ? 'required' : 'invalid_input', read.path));
    return z.NEVER;
  }),
)
  .transform((value): Breakdown | null => value ?? null)
  .describe('The property or expression that splits the result.');

const REQUIRED = 'This field is required.';

interface Fault {
  path: string[];
  message: string;
}

function readBreakdown(raw: Fields): Breakdown | Fault | null {
  const rest = {
    limit: raw.breakdown_limit ?? DEFAULT_LIMIT,
    hasOwnLimit: typeof raw.breakdown_limit === 'number',
    hideOther: raw.breakdown_hide_other_aggregation,
  };
  if (raw.breakdowns?.length) {
    const properties: PropertyBreakdown[] = [];
    for (const [index, given] of raw.breakdowns.entries()) {
      const read = propertyBreakdown(given.property, given.type ?? 'event', given.group_type_index ?? null, {
        bins: given.histogram_bin_count ?? null,
        normalizeUrl: given.normalize_url,
      });
      if (typeof read !== 'string') properties.push(read);
      else return { path: ['breakdowns', String(index), read === REQUIRED ? 'group_type_index' : 'property'], message: read };
    }
    return { by: { type: 'properties', properties }, isList: true, ...rest };
  }
  const given = (raw.breakdown ?? []).filter((name) => name !== '');
  if (given.length === 0) return null;
  const type = raw.breakdown_type ?? 'event';
  if (type === 'cohort') {
    const cohorts = given.map((name) => (name === 'all' ? name : Number(name)));
    if (cohorts.some((cohort) => cohort !== 'all' && !Number.isInteger(cohort))) {
      return { path: ['breakdown'], message: 'Numbers of cohorts, or all, are required.' };
    }
    return { by: { type: 'cohorts', cohorts: [...new Set(cohorts)] }, isList: false, ...rest };
  }
  if (given.length > MAX_BREAKDOWNS) return { path: ['breakdown'], message: `There may be ${MAX_BREAKDOWNS} breakdowns.` };
  const properties: PropertyBreakdown[] = [];
  for (const name of given) {
    const read = propertyBreakdown(String(name), type, raw.breakdown_group_type_index ?? null, {
      bins: raw.breakdown_histogram_bin_count ?? null,
      normalizeUrl: raw.breakdown_normalize_url,
    });
    if (typeof read !== 'string') properties.push(read);
    else return { path: [read === REQUIRED ? 'breakdown_group_type_index' : 'breakdown'], message: read };
  }
  return { by: { type: 'properties', properties }, isList: given.length > 1, ...rest };
}

function propertyBreakdown(
  key: string,
  type: (typeof VALUE_TYPES)[number],
  index: number | null,
  rest: BreakdownOptions,
): PropertyBreakdown | string {
  if (type === 'hogql') {
    const expression = readEventExpression(key);
    return typeof expression === 'string' ? expression : { expression, ...rest };
  }
  if (key.length > MAX_NAME) return `Ensure this field has no more than ${MAX_NAME} characters.`;
  if (type === 'group' && index === null) return REQUIRED;
  return unreadable(type, key) ?? { owner: ownerOf(type, index ?? 0), key, ...rest };
}
