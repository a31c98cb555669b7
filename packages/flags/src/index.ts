export { evaluateFlags } from './evaluate.js';
export { type Needs, propertiesNeeded } from './needs.js';
export { type PreparedFlags, prepareFlags } from './prepare.js';
export type * from './types.js';
