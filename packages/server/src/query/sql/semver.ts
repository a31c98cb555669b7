import type { VersionRange } from '../semver.js';
import { bound, type Fragment, sql, TRUE } from './fragment.js';

// major, minor, patch, pre-release
const groups = (text: Fragment): Fragment =>
  sql`extractGroups(ifNull(${text}, ''), '^v?(\\d{1,18})(?:\\.(\\d{1,18}))?(?:\\.(\\d{1,18}))?(?:-([0-9A-Za-z.-]+))?(?:\\+.*)?$')`;

/** Orders as semver 2.0 says: a pre-release before its release, numbers in it before words. */
const order = (text: Fragment): Fragment => {
  const found = groups(text);
  return sql`(toUInt64OrZero(${found}[1]), toUInt64OrZero(${found}[2]), toUInt64OrZero(${found}[3]), empty(${found}[4]), arrayMap(part -> if(match(part, '^[0-9]+$'), (0, toUInt64OrZero(part), ''), (1, toUInt64(0), part)), splitByChar('.', ${found}[4])))`;
};

const COMPARISONS = { eq: sql`=`, neq: sql`!=`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` };

/** Whether a text is a version that compares so with another; false where it is none. */
export const compareVersions = (text: Fragment, comparison: keyof typeof COMPARISONS, version: string): Fragment =>
  sql`(notEmpty(${groups(text)}) and ${order(text)} ${COMPARISONS[comparison]} ${order(bound('String', version))})`;

/** Whether a text is a version in the range. */
export function inVersionRange(text: Fragment, { low, high }: VersionRange): Fragment {
  const below = high === null ? TRUE : compareVersions(text, 'lt', high);
  return sql`(${compareVersions(text, 'gte', low)} and ${below})`;
}
