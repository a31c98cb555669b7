export type { ReplayOptions } from './options.js';
export { replay } from './replay.js';
