import { boundOf, isBooleanLike, isTruthy, parseRange, parseVersion, type Version, versionText } from '@tidemark/flags/filters';
import { type FilterDate, resolveFilterDate } from '../dates.js';
import type { Operator } from '../filter.js';
import type { FilterContext } from './filter.js';
import { bound, commaList, every, FALSE, type Fragment, some, sql } from './fragment.js';
import type { Property } from './property.js';

/*
 * Operators mean the same as in the evaluator of feature flags; a test compares both, row by row. Three values differ: null, `{}` and
 * the JSON text of objects. ClickHouse stores no null, and reading an object as text costs many times the filter.
 */

type Condition = (property: Property, values: string[], context: FilterContext) => Fragment;

const text = (value: string): Fragment => bound('String', value);
const isFalse = (condition: Fragment): Fragment => sql`not ${condition}`;
const orFalse = (condition: Fragment): Fragment => sql`ifNull(${condition}, 0)`;

/** If all values are true or false, compares truth values: a list is true if all its items are. */
const equalsAny: Condition = ({ text: own, other }, values) => {
  if (isBooleanLike(values)) {
    const isTrue = sql`(lower(${own}) = 'true' or ifNull(match(${other}, ${ALL_TRUE}), 0))`;
    return orFalse(isTruthy(values) ? isTrue : isFalse(isTrue));
  }
  // `lower` knows only ASCII and costs less than `lowerUTF8`
  const lower = values.every(isAscii) ? (one: Fragment) => sql`lower(${one})` : (one: Fragment) => sql`lowerUTF8(${one})`;
  return orFalse(sql`${lower(own)} in (${lowered(values, lower)})`);
};

/** Maximum number of values that are bound one by one: parsing more of them costs more than the comparison. */
const MOST_ONE_BY_ONE = 100;

function lowered(values: string[], lower: (one: Fragment) => Fragment): Fragment {
  if (values.length <= MOST_ONE_BY_ONE) return commaList(values.map((value) => lower(text(value))));
  // the schema rejects values with null characters, so one can separate them
  return sql`select arrayJoin(splitByChar('\\0', ${lower(text(values.join('\0')))}))`;
}

const ALL_TRUE = sql`'(?i)^\\\\[(\\\\[|\\\\]|,|true|"true")*\\\\]$'`;

const isAscii = (value: string): boolean => Buffer.byteLength(value) === value.length;

const anyOf =
  (test: (own: Fragment, value: Fragment) => Fragment): Condition =>
  ({ text: own }, values) =>
    orFalse(some(values.map((value) => test(own, text(value)))));

const contains = anyOf((own, value) => sql`positionCaseInsensitive(${own}, ${value}) > 0`);
const startsWith = anyOf((own, value) => sql`startsWith(lower(${own}), lower(${value}))`);
const endsWith = anyOf((own, value) => sql`endsWith(lower(${own}), lower(${value}))`);

/** An invalid pattern matches nothing; negated, it matches absent values only. `(?-s)`: by default the engine's `.` matches newlines. */
const matches =
  (wanted: boolean): Condition =>
  ({ text: own }, values, { brokenPatterns }) => {
    if (values.some((pattern) => brokenPatterns.has(pattern))) return wanted ? FALSE : sql`${own} is null`;
    const found = orFalse(some(values.map((pattern) => sql`match(${own}, ${text(`(?-s)${pattern}`)})`)));
    return wanted ? found : isFalse(found);
  };

const compare =
  (comparison: Fragment): Condition =>
  ({ number }, [value]) =>
    orFalse(sql`${number} ${comparison} ${bound('Float64', boundOf(value))}`);

const between: Condition = ({ number }, [low, high]) =>
  orFalse(sql`(${number} >= ${bound('Float64', boundOf(low))} and ${number} <= ${bound('Float64', boundOf(high))})`);

/** Absent values match, as for every negative operator; values that are not numbers do not. */
const notBetween: Condition = ({ number, text: own }, [low, high]) =>
  sql`ifNull(${number} < ${bound('Float64', boundOf(low))} or ${number} > ${bound('Float64', boundOf(high))}, ${own} is null)`;

const DATE_TEXT = sql`'^\\s*([0-9]{4}-[0-9]{2}-[0-9]{2}([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?)?)\\s*$'`;

/** Epoch milliseconds of a property: ISO text (default zone: the project's), or a number in seconds, from 1e11 on in milliseconds. */
function instantOf({ text: own, numeric }: Property, timezone: string): Fragment {
  const parsed = sql`toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(extract(upper(${own}), ${DATE_TEXT}), 3, ${text(timezone)}))`;
  return sql`if(${numeric} is null, toFloat64(${parsed}), if(abs(${numeric}) < 1e11, ${numeric} * 1000, ${numeric}))`;
}

const dated =
  (test: (instant: Fragment, date: FilterDate) => Fragment): Condition =>
  (property, [value = ''], { moment }) => {
    const date = resolveFilterDate(value, moment);
    return date ? orFalse(test(instantOf(property, moment.zone.name), date)) : FALSE;
  };

const versioned =
  (comparison: Parameters<typeof compareVersions>[1]): Condition =>
  ({ text: own }, [value]) => {
    const version = parseVersion(value);
    return version ? compareVersions(own, comparison, version) : FALSE;
  };

const ranged =
  (name: string): Condition =>
  ({ text: own }, [value]) => {
    const range = parseRange(name, value);
    if (!range) return FALSE;
    const { low, high } = range;
    return every([compareVersions(own, 'gte', low), ...(high ? [compareVersions(own, 'lt', high)] : [])]);
  };

const opposite =
  (condition: Condition): Condition =>
  (...given) =>
    isFalse(condition(...given));

/** The condition of each operator: true or false, never null. */
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
  is_date_exact: dated((own, { instant, day }) =>
    day === null
      ? sql`${own} = ${bound('Float64', instant)}`
      : sql`(${own} >= ${bound('Float64', day.instant)} and ${own} < ${bound('Float64', day.end)})`,
  ),
  is_date_before: dated((own, { instant }) => sql`${own} < ${bound('Float64', instant)}`),
  is_date_after: dated((own, { instant }) => sql`${own} > ${bound('Float64', instant)}`),
  semver_eq: versioned('eq'),
  semver_neq: versioned('neq'),
  semver_gt: versioned('gt'),
  semver_gte: versioned('gte'),
  semver_lt: versioned('lt'),
  semver_lte: versioned('lte'),
  semver_tilde: ranged('tilde'),
  semver_caret: ranged('caret'),
  semver_wildcard: ranged('wildcard'),
};

// major, minor, patch, pre-release; the same pattern as in the evaluator of feature flags
const groups = (text: Fragment): Fragment =>
  sql`extractGroups(ifNull(${text}, ''), '(?i)^\\s*[~^=]?v?(\\d{1,15})(?:\\.(\\d{1,15}))?(?:\\.(\\d{1,15}))?(?:-([0-9a-z-]+(?:\\.[0-9a-z-]+)*))?(?:\\+[0-9a-z.-]+)?\\s*$')`;

/** A sort key by semver 2.0: a pre-release comes before its release, its numeric identifiers before alphanumeric ones. */
const order = (text: Fragment): Fragment => {
  const found = groups(text);
  return sql`(toUInt64OrZero(${found}[1]), toUInt64OrZero(${found}[2]), toUInt64OrZero(${found}[3]), empty(${found}[4]), arrayMap(part -> if(match(part, '^[0-9]{1,15}$'), (0, toUInt64OrZero(part), ''), (1, toUInt64(0), part)), splitByChar('.', ${found}[4])))`;
};

const COMPARISONS = { eq: sql`=`, neq: sql`!=`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` };

/** Compares a text with a version; false if the text is not a version. */
const compareVersions = (text: Fragment, comparison: keyof typeof COMPARISONS, version: Version): Fragment =>
  sql`(notEmpty(${groups(text)}) and ${order(text)} ${COMPARISONS[comparison]} ${order(bound('String', versionText(version)))})`;
