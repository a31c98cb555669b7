export {
  type Access,
  type AccessContext,
  type AccessObject,
  type AccessRules,
  accessOf,
  accessOfUser,
  createAccessRules,
  requireResourceLevel,
  sightOf,
} from './access.js';
export { type AccessFields, accessFields, accessFieldsSchema } from './fields.js';
export { type Found, findersOf, type ItemContext } from './finders.js';
export { type AccessLevel, type AccessResource, reaches } from './levels.js';
export { LEVEL_REASONS, levelsOfMembers } from './levels-of-members.js';
export type { RuleChange } from './put-rule.js';
export {
  CAN_EDIT,
  CAN_VIEW,
  EVERYONE_EDITS,
  ONLY_COLLABORATORS_EDIT,
  type Restricted,
  type RestrictedUser,
  restrictionOf,
} from './restriction.js';
export { type AccessControlOptions, mountAccessControls, mountProjectAccessControls, projectLevel } from './routes.js';
export { lockRole } from './rules-store.js';
