export { type Along, changeGroup, createGroup, type EditedGroup } from './edit-group.js';
export { resolveGroups } from './resolve.js';
export type { GroupAnswer, GroupBatch, GroupTask } from './types.js';
