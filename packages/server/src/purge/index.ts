export { purgeBlobs, purgeEvents, purgePersons } from './purge.js';
