export { createPropertyCache, type PropertyCache } from './load-persons.js';
export { type PersonTask, personUuid } from './person-task.js';
export { resolvePersons } from './resolve.js';
