export { openApiDocument, type Tag } from './document.js';
export { findGaps } from './missing.js';
export {
  type Operation,
  operationsOf,
  registerOperation,
  registerOperations,
} from './operation.js';
export { COMMON_ERROR_STATUSES, errorSchema } from './refusals.js';
