/** Entry point `filters`: how property filters interpret their values, shared by flags and by analytics. */
export { momentOf, parseDate, parseRelativeDate } from './dates.js';
export { boundOf } from './operators.js';
export { parseRange, parseVersion, type Version, versionText } from './semver.js';
export { isBooleanLike, isTruthy } from './value.js';
