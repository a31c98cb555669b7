import type { Tag } from '../../http/openapi/index.js';

/** The groups of operations in the reference, in its order. */
export const TAGS: readonly Tag[] = [
  {
    name: 'Dashboards',
    pattern: /\/:project_id\/dashboards\/(?!.*(collaborators|sharing|access_controls)\/)/,
    description: 'Pages of tiles: insights and texts. A dashboard is deleted by changing it, and can be restored.',
  },
  {
    name: 'Dashboard collaborators',
    pattern: /\/dashboards\/:\w+\/collaborators\//,
    description: 'Who may change a dashboard that is restricted to its collaborators.',
  },
  {
    name: 'Sharing',
    pattern: /\/sharing\//,
    description: 'The public address of a dashboard or insight, for people without an account.',
  },
  { name: 'Dashboard templates', pattern: /\/dashboard_templates\//, description: 'What dashboards can be made from.' },
  {
    name: 'Insights',
    pattern: /\/:project_id\/insights\/(?!.*(sharing|access_controls)\/)/,
    description: 'Saved questions: a query with a name.',
  },
  {
    name: 'Insight variables',
    pattern: /\/insight_variables\//,
    description: 'Values that SQL questions name as `{variables.code_name}` and that dashboards set for all their tiles.',
  },
  {
    name: 'Recently viewed',
    pattern: /\/recently_viewed\//,
    description: 'What you looked at last.',
  },
  {
    name: 'Feature flags',
    pattern: /\/(feature_flags|scheduled_changes)\/(?!.*access_controls\/)/,
    description: 'Switches that give each person or group a value, and when these change. A flag is deleted by changing it.',
  },
  {
    name: 'Experiments',
    pattern: /\/:project_id\/experiments\/(?!.*access_controls\/)/,
    description: 'Comparisons of the variants of a feature flag, and what they found.',
  },
  {
    name: 'Cohorts',
    pattern: /\/:project_id\/cohorts\/(?!.*access_controls\/)/,
    description: 'People who have something in common: all of whom conditions hold, or lists of people.',
  },
  {
    name: 'Early access',
    pattern: /\/:project_id\/early_access_feature\//,
    description: 'What people can try by enrolling, before everybody has it.',
  },
  {
    name: 'Surveys',
    pattern: /\/:project_id\/surveys\/(?!.*access_controls\/)/,
    description: 'Questions to the people who use pages and apps, shown by these.',
  },
  { name: 'Query', pattern: /\/:project_id\/query\//, description: 'Numbers and events of a project, computed when asked.' },
  { name: 'Exports', pattern: /\/:project_id\/exports\//, description: 'Dashboards, insights and queries as files.' },
  {
    name: 'Session recordings',
    pattern: /\/:project_id\/session_recordings\/(?!.*(sharing|access_controls)\/)/,
    description: 'What visitors did, to be watched again.',
  },
  {
    name: 'Explicit members',
    pattern: /\/explicit_members\//,
    description: 'Who belongs to a private project, and at which level, beyond the administrators of its organization.',
  },
  {
    name: 'Groups',
    pattern: /\/groups(_types)?\//,
    description: 'Companies, teams or whatever else events belong to besides a person. They come from `$groupidentify` events.',
  },
  {
    name: 'Actions',
    pattern: /\/:project_id\/actions\/(?!.*access_controls\/)/,
    description: 'Events that have a name together: what queries count as one thing. An action is deleted by changing it.',
  },
  { name: 'Alerts', pattern: /\/alerts\//, description: 'Tell when a number of an insight leaves its bounds.' },
  { name: 'Annotations', pattern: /\/annotations\//, description: 'Notes on moments, which charts show.' },
  { name: 'Live events', pattern: /\/live\//, description: 'Events as they are stored, and what the last half hour looks like.' },
  { name: 'Sample data', pattern: /\/sample_data\//, description: 'An invented shop, to try every screen with.' },
  { name: 'Events', pattern: /\/events\//, description: 'What was captured, as a list.' },
  { name: 'Persons', pattern: /\/persons\//, description: 'The people that events belong to.' },
  {
    name: 'Events and properties',
    pattern: /\/(event|property)_definitions\/|\/ingestion_warnings\//,
    description: 'Which events and properties a project has received, and what went wrong with some.',
  },
  {
    name: 'Access control',
    pattern: /\/access_controls\/|\/(global_)?(resource_)?access/,
    description: 'Rules that give everybody, a role or one member a level on an object, a kind of object or the project.',
  },
  { name: 'Roles', pattern: /\/roles\//, description: 'Named sets of members, for access rules.' },
  { name: 'Activity', pattern: /\/activity/, description: 'Who changed what and when, with before and after.' },
  {
    name: 'Projects',
    pattern:
      /^\/api\/(projects|environments)\/(:project_id\/((reset_token|retention|imported_objects)\/|import_leases\/.*)?)?$|\/organizations\/:\w+\/projects\//,
    description: 'What events are sent to. A project is also called an environment.',
  },
  {
    name: 'Members and invites',
    pattern: /\/organizations\/:\w+\/(members|invites)\//,
    description: 'Members of an organization, and invites to join it.',
  },
  { name: 'Organizations', pattern: /^\/api\/organizations\/(:\w+\/)?$/, description: 'What projects and members belong to.' },
  {
    name: 'Personal API keys',
    pattern: /\/personal_api_keys\//,
    description: 'Secret keys for programs that act for a person, limited to scopes.',
  },
  {
    name: 'Account',
    pattern: /\/(signup|login|logout)\/|\/api\/(users|session|password_reset)\//,
    description: 'Sign-up, log-in and the caller’s own account.',
  },
  {
    name: 'Capture',
    pattern: /^\/(i|v1|batch|capture|e|track|engage|s|flags|decide|array|static)\//,
    description: 'What SDKs call, with the public project API key. Open to pages of every origin.',
  },
  { name: 'Service', pattern: /^\/(_|metrics)|^\/api\/schema\//, description: 'About the service itself.' },
];
