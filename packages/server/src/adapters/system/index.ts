export { systemClock } from './clock.js';
export { systemIds } from './ids.js';
export { lockDataDirectory, tryLockDataDirectory } from './lock-data-directory.js';
export { createScheduler } from './scheduler.js';
export { syncDirectory } from './sync-directory.js';
