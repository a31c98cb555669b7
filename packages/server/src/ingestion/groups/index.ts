export { type Along, changeGroup, createGroup } from './edit-group.js';
export { createGroupTypes, type GroupTypes } from './group-types.js';
export { type GroupBatch, type GroupKeys, type GroupTask, resolveGroups } from './resolve.js';
