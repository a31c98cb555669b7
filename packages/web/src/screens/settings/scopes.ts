/** What a key may do with one kind of object. */
export type ScopeAccess = 'none' | 'read' | 'write';

/** The objects of scopes with their names, the ones that most keys need first. `isReadOnly`: no endpoint writes it. */
export const SCOPES: readonly { object: string; label: string; isReadOnly?: boolean }[] = [
  { object: 'insight', label: 'Insights' },
  { object: 'dashboard', label: 'Dashboards' },
  { object: 'alert', label: 'Alerts' },
  { object: 'query', label: 'Query (SQL)', isReadOnly: true },
  { object: 'export', label: 'Exports' },
  { object: 'feature_flag', label: 'Feature flags' },
  { object: 'experiment', label: 'Experiments' },
  { object: 'early_access_feature', label: 'Early access features' },
  { object: 'survey', label: 'Surveys' },
  { object: 'person', label: 'Persons' },
  { object: 'group', label: 'Groups' },
  { object: 'cohort', label: 'Cohorts' },
  { object: 'session_recording', label: 'Recordings' },
  { object: 'action', label: 'Actions' },
  { object: 'annotation', label: 'Annotations' },
  { object: 'event_definition', label: 'Event definitions' },
  { object: 'property_definition', label: 'Property definitions' },
  { object: 'dashboard_template', label: 'Dashboard templates' },
  { object: 'sharing_configuration', label: 'Sharing' },
  { object: 'activity_log', label: 'Activity' },
  { object: 'project', label: 'Project settings' },
  { object: 'access_control', label: 'Access rules' },
  { object: 'organization', label: 'Organization' },
  { object: 'organization_member', label: 'Members' },
  { object: 'user', label: 'Own account' },
];

export type Preset = 'read' | 'flags' | 'export' | 'all' | 'hand';

/** Scopes to start from. `hand`: none. */
export const PRESETS: Record<Preset, { label: string; scopes: readonly string[] }> = {
  read: { label: 'Read all', scopes: SCOPES.map(({ object }) => `${object}:read`) },
  flags: { label: 'Ship flags', scopes: ['feature_flag:write', 'experiment:write', 'project:read'] },
  export: { label: 'Export', scopes: ['export:write', 'insight:read', 'dashboard:read', 'query:read'] },
  all: { label: 'Everything', scopes: ['*'] },
  hand: { label: 'By hand', scopes: [] },
};

/** The preset that gives exactly these scopes. */
export function presetOf(scopes: readonly string[]): Preset {
  const same = (other: readonly string[]) => other.length === scopes.length && other.every((scope) => scopes.includes(scope));
  return (['read', 'flags', 'export', 'all'] as const).find((preset) => same(PRESETS[preset].scopes)) ?? 'hand';
}

/** What scopes allow with one kind of object. Writing covers reading. */
export function accessOf(scopes: readonly string[], object: string): ScopeAccess {
  if (scopes.includes('*') || scopes.includes(`${object}:write`)) return 'write';
  return scopes.includes(`${object}:read`) ? 'read' : 'none';
}

/** The same scopes with another access to one kind of object. `*` becomes the list of all first. */
export function withAccess(scopes: readonly string[], object: string, access: ScopeAccess): string[] {
  const all = scopes.includes('*')
    ? SCOPES.map(({ object: one, isReadOnly }) => `${one}:${isReadOnly ? 'read' : 'write'}`)
    : scopes;
  const rest = all.filter((scope) => !scope.startsWith(`${object}:`));
  return access === 'none' ? rest : [...rest, `${object}:${access}`];
}

/** Scopes in words, such as `["insight", "read"]`. */
export function scopeWords(scope: string): [object: string, access: string] {
  if (scope === '*') return ['everything', 'write'];
  const [object = '', access = ''] = scope.split(':');
  return [object.replaceAll('_', ' '), access];
}
