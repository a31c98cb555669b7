export { personUuid } from './person-uuid.js';
export { resolvePersons } from './resolve.js';
export type { PersonAnswer, PersonBatch, PersonTask } from './types.js';
