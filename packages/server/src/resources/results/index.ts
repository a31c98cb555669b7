export { describeDateRange } from './describe-date-range.js';
export { overrideParam } from './override.js';
export { applyOverrides, type QueryOverrides } from './query-overrides.js';
export { refreshParam } from './refresh.js';
export {
  createResultLoader,
  disconnectSignal,
  EMPTY_RESULT,
  type InsightResult,
  type InsightResultFields,
  type ResultLoader,
} from './result-loader.js';
export { mapInnerQuery, unwrapQuery } from './unwrap-query.js';
