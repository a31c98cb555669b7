import { type Version, versionText } from '@tidemark/flags/filters';
import { bound, type Fragment, sql } from './fragment.js';

// major, minor, patch, pre-release: what the evaluator of flags takes for a version
const groups = (text: Fragment): Fragment =>
  sql`extractGroups(ifNull(${text}, ''), '(?i)^\\s*[~^=]?v?(\\d{1,15})(?:\\.(\\d{1,15}))?(?:\\.(\\d{1,15}))?(?:-([0-9a-z-]+(?:\\.[0-9a-z-]+)*))?(?:\\+[0-9a-z.-]+)?\\s*$')`;

/** Orders as semver 2.0 says: a pre-release before its release, numbers in it before words. */
const order = (text: Fragment): Fragment => {
  const found = groups(text);
  return sql`(toUInt64OrZero(${found}[1]), toUInt64OrZero(${found}[2]), toUInt64OrZero(${found}[3]), empty(${found}[4]), arrayMap(part -> if(match(part, '^[0-9]{1,15}$'), (0, toUInt64OrZero(part), ''), (1, toUInt64(0), part)), splitByChar('.', ${found}[4])))`;
};

const COMPARISONS = { eq: sql`=`, neq: sql`!=`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` };

/** Whether a text is a version that compares so with another; false where it is none. */
export const compareVersions = (text: Fragment, comparison: keyof typeof COMPARISONS, version: Version): Fragment =>
  sql`(notEmpty(${groups(text)}) and ${order(text)} ${COMPARISONS[comparison]} ${order(bound('String', versionText(version)))})`;
