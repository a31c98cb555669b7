/** Levels of an organization membership. Explicit project memberships use the first two. */
export const MEMBER = 1;
export const ADMIN = 8;
export const OWNER = 15;

export type MembershipLevel = typeof MEMBER | typeof ADMIN | typeof OWNER;

/** Kinds of objects that the scopes of a personal API key name. */
const SCOPE_OBJECTS = [
  'access_control',
  'action',
  'activity_log',
  'alert',
  'annotation',
  'batch_export',
  'cohort',
  'dashboard',
  'dashboard_template',
  'early_access_feature',
  'event_definition',
  'experiment',
  'export',
  'feature_flag',
  'group',
  'insight',
  'notebook',
  'organization',
  'organization_member',
  'person',
  'plugin',
  'project',
  'property_definition',
  'query',
  'session_recording',
  'session_recording_playlist',
  'sharing_configuration',
  'subscription',
  'survey',
  'user',
  'webhook',
] as const;

type ScopeObject = (typeof SCOPE_OBJECTS)[number];
export type Scope = `${ScopeObject}:${'read' | 'write'}`;

const ALL: ReadonlySet<string> = new Set(['*', ...SCOPE_OBJECTS.flatMap((o) => [`${o}:read`, `${o}:write`])]);

/** Whether a text is a scope of a personal API key. */
export const isScope = (text: string): boolean => ALL.has(text);

/** Whether the scopes of a key cover what an endpoint needs: `*` covers all, `x:write` covers `x:read`. */
export function covers(granted: readonly string[], needed: Scope): boolean {
  if (granted.includes('*') || granted.includes(needed)) return true;
  return needed.endsWith(':read') && granted.includes(needed.replace(/:read$/, ':write'));
}
