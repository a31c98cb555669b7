/** Levels on an object (a dashboard, an insight, …), lowest first. */
export const ACCESS_LEVELS = ['none', 'viewer', 'editor', 'manager'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** Levels in a project as its own rules give them, lowest first. */
export const PROJECT_ACCESS_LEVELS = ['none', 'member', 'admin'] as const;
export type ProjectAccessLevel = (typeof PROJECT_ACCESS_LEVELS)[number];

/** Kinds of objects that rules can be about. */
export const ACCESS_RESOURCES = [
  'action',
  'annotation',
  'cohort',
  'dashboard',
  'event_definition',
  'experiment',
  'export',
  'feature_flag',
  'group',
  'insight',
  'notebook',
  'person',
  'project_settings',
  'property_definition',
  'session_recording',
  'session_recording_playlist',
  'survey',
] as const;
export type AccessResource = (typeof ACCESS_RESOURCES)[number];

/** The level of everybody without a rule. */
export const DEFAULT_LEVEL: AccessLevel = 'editor';
/** The level of creators and administrators, regardless of rules. */
export const HIGHEST_LEVEL: AccessLevel = 'manager';

/** Whether a level is at least `needed`. */
export const reaches = (level: AccessLevel, needed: AccessLevel): boolean =>
  ACCESS_LEVELS.indexOf(level) >= ACCESS_LEVELS.indexOf(needed);
