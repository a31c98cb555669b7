export { describeDateRange } from './describe-date-range.js';
export { figureFields } from './figure-fields.js';
export {
  experimentIn,
  hiddenProfiles,
  hidesResult,
  hidesResults,
  type LoadQueryAccess,
  profilesIn,
  queryAccessOf,
  requireExperiment,
  requireProfiles,
  requireQueryAccess,
} from './query-access.js';
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
export { nameRun, profilesOfRuns } from './run-profiles.js';
