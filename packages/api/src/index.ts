export { type ApiClient, type ApiClientOptions, createApiClient } from './client.js';
export { NO_RESPONSE, type RetryOptions } from './retries.js';
export type { components, operations, paths } from './schema.gen.js';
