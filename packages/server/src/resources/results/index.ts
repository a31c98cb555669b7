export { describeDateRange } from './describe-date-range.js';
export {
  experimentAccessOf,
  experimentIn,
  hiddenExperiments,
  hidesExperiment,
  type LoadExperimentAccess,
  requireExperiment,
  requireExperimentAccess,
} from './experiment-access.js';
export { figureFields } from './figure-fields.js';
export { applyOverrides, mapInnerQuery, overrideParam, type QueryOverrides, unwrapQuery } from './query-overrides.js';
export {
  createResultLoader,
  disconnectSignal,
  EMPTY_RESULT,
  freshnessOf,
  type InsightResult,
  type InsightResultFields,
  type ResultLoader,
  refreshParam,
  stalenessParam,
} from './result-loader.js';
