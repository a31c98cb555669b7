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
  type InsightResult,
  type InsightResultFields,
  type ResultLoader,
  refreshParam,
} from './result-loader.js';
