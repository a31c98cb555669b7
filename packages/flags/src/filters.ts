/** How filters of properties read their values: one reading for whoever evaluates them. */
export { momentOf, parseDate, parseRelativeDate } from './dates.js';
export { boundOf } from './operators.js';
export { parseRange, parseVersion, type Version, versionText } from './semver.js';
export { isBooleanLike, isTruthy } from './value.js';
