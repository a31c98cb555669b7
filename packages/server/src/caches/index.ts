export { type Cache, type Caches, createCaches, ENTRY_BYTES, observeCaches } from './cache.js';
export { createInvalidations, type Invalidations } from './invalidations.js';
export { createRefreshingCache } from './refreshing-cache.js';
