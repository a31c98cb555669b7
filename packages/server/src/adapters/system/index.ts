export { systemClock } from './clock.js';
export { systemIds } from './ids.js';
export { lockDataDirectory } from './lock-data-directory.js';
