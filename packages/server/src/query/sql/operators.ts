import { type ResolvedDate, resolveFilterDate } from '../dates.js';
import type { Operator } from '../filter.js';
import { caretRange, tildeRange, versionOf, wildcardRange } from '../semver.js';
import type { FilterContext } from './filter.js';
import { bound, commaList, FALSE, type Fragment, some, sql } from './fragment.js';
import type { Property } from './property.js';
import { compareVersions, inVersionRange } from './semver.js';

type Condition = (property: Property, values: string[], context: FilterContext) => Fragment;

const text = (value: string): Fragment => bound('String', value);
const isFalse = (condition: Fragment): Fragment => sql`not ${condition}`;
const orFalse = (condition: Fragment): Fragment => sql`ifNull(${condition}, 0)`;

const equalsAny: Condition = ({ text: own }, values) => {
  if (values.length === 0) return FALSE;
  // `lower` knows only ASCII and costs less than `lowerUTF8`
  const lower = values.every(isAscii) ? (one: Fragment) => sql`lower(${one})` : (one: Fragment) => sql`lowerUTF8(${one})`;
  return orFalse(sql`${lower(own)} in (${commaList(values.map((value) => lower(text(value))))})`);
};

const isAscii = (value: string): boolean => Buffer.byteLength(value) === value.length;

const anyOf =
  (test: (own: Fragment, value: Fragment) => Fragment): Condition =>
  ({ text: own }, values) =>
    orFalse(some(values.map((value) => test(own, text(value)))));

const contains = anyOf((own, value) => sql`positionCaseInsensitive(${own}, ${value}) > 0`);
const startsWith = anyOf((own, value) => sql`startsWith(lower(${own}), lower(${value}))`);
const endsWith = anyOf((own, value) => sql`endsWith(lower(${own}), lower(${value}))`);

/** A broken pattern matches nothing, and its opposite nothing either. The engine's `.` would match a line's end. */
const matches =
  (wanted: boolean): Condition =>
  ({ text: own }, values, { brokenPatterns }) => {
    if (values.some((pattern) => brokenPatterns.has(pattern))) return FALSE;
    const found = orFalse(some(values.map((pattern) => sql`match(${own}, ${text(`(?-s)${pattern}`)})`)));
    return wanted ? found : isFalse(found);
  };

const compare =
  (comparison: Fragment): Condition =>
  ({ number }, [value]) =>
    orFalse(sql`${number} ${comparison} ${bound('Float64', Number(value))}`);

const between: Condition = ({ number }, [low, high]) =>
  orFalse(sql`(${number} >= ${bound('Float64', Number(low))} and ${number} <= ${bound('Float64', Number(high))})`);

/** Absent passes, as for every negative operator; something that is not a number does not. */
const notBetween: Condition = ({ number, text: own }, [low, high]) =>
  sql`ifNull(${number} < ${bound('Float64', Number(low))} or ${number} > ${bound('Float64', Number(high))}, ${own} is null)`;

const DATE_TEXT = sql`'^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|z|[+-][0-9]{2}(:?[0-9]{2})?)?)?$'`;

/** Epoch milliseconds of a property: ISO text (no zone: the project's), or a number of seconds, or of milliseconds when large. */
function instantOf({ text: own, numeric }: Property, timezone: string): Fragment {
  const parsed = sql`toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(if(match(${own}, ${DATE_TEXT}), ${own}, ''), 3, ${text(timezone)}))`;
  return sql`if(${numeric} is null, toFloat64(${parsed}), if(abs(${numeric}) < 1e11, ${numeric} * 1000, ${numeric}))`;
}

const dated =
  (test: (instant: Fragment, date: ResolvedDate) => Fragment): Condition =>
  (property, [value = ''], { moment }) => {
    const date = resolveFilterDate(value, moment);
    return date ? orFalse(test(instantOf(property, moment.timezone), date)) : FALSE;
  };

const versioned =
  (comparison: Parameters<typeof compareVersions>[1]): Condition =>
  ({ text: own }, [value = '']) =>
    compareVersions(own, comparison, versionOf(value));

const ranged =
  (range: typeof tildeRange): Condition =>
  ({ text: own }, [value = '']) =>
    inVersionRange(own, range(value));

const opposite =
  (condition: Condition): Condition =>
  (...given) =>
    isFalse(condition(...given));

/** What each operator asks of a property; every condition is true or false, never null. */
export const CONDITIONS: Record<Operator, Condition> = {
  exact: equalsAny,
  is_not: opposite(equalsAny),
  icontains: contains,
  not_icontains: opposite(contains),
  icontains_multi: contains,
  not_icontains_multi: opposite(contains),
  starts_with: startsWith,
  not_starts_with: opposite(startsWith),
  ends_with: endsWith,
  not_ends_with: opposite(endsWith),
  regex: matches(true),
  not_regex: matches(false),
  gt: compare(sql`>`),
  gte: compare(sql`>=`),
  lt: compare(sql`<`),
  lte: compare(sql`<=`),
  between,
  not_between: notBetween,
  is_set: ({ present }) => present,
  is_not_set: ({ present }) => isFalse(present),
  is_date_exact: dated((own, { instant, end }) =>
    end === null
      ? sql`${own} = ${bound('Float64', instant)}`
      : sql`(${own} >= ${bound('Float64', instant)} and ${own} < ${bound('Float64', end)})`,
  ),
  is_date_before: dated((own, { instant }) => sql`${own} < ${bound('Float64', instant)}`),
  is_date_after: dated((own, { instant }) => sql`${own} > ${bound('Float64', instant)}`),
  semver_eq: versioned('eq'),
  semver_neq: versioned('neq'),
  semver_gt: versioned('gt'),
  semver_gte: versioned('gte'),
  semver_lt: versioned('lt'),
  semver_lte: versioned('lte'),
  semver_tilde: ranged(tildeRange),
  semver_caret: ranged(caretRange),
  semver_wildcard: ranged(wildcardRange),
};
