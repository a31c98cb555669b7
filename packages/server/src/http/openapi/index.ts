export { openApiDocument, type Tag } from './document.js';
export { missingIn } from './missing.js';
export { noteOperation, noteOperations, type Operation, operationsOf } from './operation.js';
export { COMMON_REFUSALS, errorSchema } from './refusals.js';
