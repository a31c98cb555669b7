export { applyMerges } from './merges.js';
export { purgeBlobs, purgeEvents, purgePersons } from './purge.js';
export { enforceRetention, eventsKeptFrom } from './retention.js';
