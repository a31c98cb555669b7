export { openApiDocument, type Tag } from './document.js';
export { COMMON_ERROR_STATUSES, errorSchema } from './error-responses.js';
export { type Operation, operationsOf, registerOperation, registerOperations } from './operation.js';
