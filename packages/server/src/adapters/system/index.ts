export { systemClock } from './clock.js';
export { systemIds } from './ids.js';
export { type DataDirectoryLock, lockDataDirectory } from './lock-data-directory.js';
