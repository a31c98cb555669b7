export { type Along, changeGroup, createGroup } from './edit-group.js';
export { createGroupTypes, ensureGroupType, type GroupTypes } from './group-types.js';
export { resolveGroups } from './resolve.js';
