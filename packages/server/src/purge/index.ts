export { purgeBlobs, purgeEvents, purgePersons } from './purge.js';
export { enforceRetention, eventsKeptFrom } from './retention.js';
