export { resolveGroups } from './resolve.js';
export type { GroupAnswer, GroupBatch, GroupTask } from './types.js';
