export { evaluateFlags } from './evaluate.js';
export { type PreparedFlags, prepareFlags } from './prepare.js';
export type * from './types.js';
