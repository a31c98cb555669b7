export { createPropertyCache, type PropertyCache } from './load-persons.js';
export { type PersonBatch, type PersonTask, personUuid, type ResolvedPerson } from './person-task.js';
export { resolvePersons } from './resolve.js';
