export type { Uses } from './compile.js';
export { evaluateFlags } from './evaluate.js';
export { type PreparedFlags, prepareFlags, propertiesNeeded } from './prepare.js';
export type * from './types.js';
