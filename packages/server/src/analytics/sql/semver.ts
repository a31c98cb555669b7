import { type Version, versionText } from '@tidemark/flags/filters';
import { bound, type Fragment, sql } from './fragment.js';

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
export const compareVersions = (text: Fragment, comparison: keyof typeof COMPARISONS, version: Version): Fragment =>
  sql`(notEmpty(${groups(text)}) and ${order(text)} ${COMPARISONS[comparison]} ${order(bound('String', versionText(version)))})`;
