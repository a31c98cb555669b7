export { personUuid } from './person-uuid.js';
export { createPropertyCache, type PropertyCache } from './property-cache.js';
export { resolvePersons } from './resolve.js';
export type { PersonBatch, PersonTask, ResolvedPerson } from './types.js';
