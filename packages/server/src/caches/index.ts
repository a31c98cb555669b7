export { type Cache, type Caches, createCaches, ENTRY_BYTES } from './cache.js';
export { createInvalidations, type Invalidations } from './invalidations.js';
export { observeCaches } from './metrics.js';
export { createRefreshingCache } from './refreshing-cache.js';
