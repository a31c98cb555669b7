import { OBJECT_LEVEL_NAMES, RESOURCES } from '../../app/access-levels.js';
import type { LogEntry } from '../../data/activity.js';
import type { Difference } from '../../ui/DifferenceTable.js';

/** The kinds of objects that the log of a project has, in the words of people. */
export const SCOPES: readonly { scope: string; label: string }[] = [
  { scope: 'Dashboard', label: 'Dashboards' },
  { scope: 'DashboardTile', label: 'Tiles of dashboards' },
  { scope: 'Insight', label: 'Insights' },
  { scope: 'Alert', label: 'Alerts' },
  { scope: 'Annotation', label: 'Annotations' },
  { scope: 'FeatureFlag', label: 'Feature flags' },
  { scope: 'EarlyAccessFeature', label: 'Early access features' },
  { scope: 'Experiment', label: 'Experiments' },
  { scope: 'Survey', label: 'Surveys' },
  { scope: 'Cohort', label: 'Cohorts' },
  { scope: 'Person', label: 'Persons' },
  { scope: 'Group', label: 'Groups' },
  { scope: 'GroupType', label: 'Group types' },
  { scope: 'EventDefinition', label: 'Events' },
  { scope: 'PropertyDefinition', label: 'Properties' },
  { scope: 'Action', label: 'Actions' },
  { scope: 'SharingConfiguration', label: 'Public links' },
  { scope: 'SharePassword', label: 'Passwords of links' },
  { scope: 'DashboardCollaborator', label: 'Collaborators' },
  { scope: 'DashboardTemplate', label: 'Templates of dashboards' },
  { scope: 'AccessControl', label: 'Access rules' },
  { scope: 'ExplicitMember', label: 'Members of the project' },
  { scope: 'Project', label: 'The project' },
];

/** What one object of a kind is called. */
const ONE: Record<string, string> = {
  Dashboard: 'dashboard',
  DashboardTile: 'tile',
  Insight: 'insight',
  Alert: 'alert',
  Annotation: 'annotation',
  FeatureFlag: 'flag',
  EarlyAccessFeature: 'early access feature',
  Experiment: 'experiment',
  Survey: 'survey',
  Cohort: 'cohort',
  Person: 'person',
  Group: 'group',
  GroupType: 'group type',
  EventDefinition: 'event',
  PropertyDefinition: 'property',
  Action: 'action',
  SharingConfiguration: 'public link of',
  SharePassword: 'password of the link of',
  DashboardCollaborator: 'collaborators of',
  DashboardTemplate: 'template',
  AccessControl: 'access rule of',
  ExplicitMember: 'membership of',
  Project: 'project',
};

const DONE: Record<string, string> = {
  created: 'created',
  updated: 'changed',
  deleted: 'deleted',
  restored: 'restored',
  exported: 'exported',
  moved: 'moved',
  rolled: 'rolled',
  joined: 'joined',
  left: 'left',
  token_refreshed: 'renewed the token of',
  token_reset: 'reset the token of',
};

/** Who did it. */
export function whoText({ user, imported }: Pick<LogEntry, 'user' | 'imported'>): string {
  if (imported) return imported.author ?? 'Somebody';
  return user ? user.first_name || user.email : 'The service';
}

/** How an entry of another service came here: "In another service; imported by Ada on 2026-11-27". */
export function importText({ by, at }: NonNullable<LogEntry['imported']>): string {
  const who = by ? ` by ${by.first_name || by.email}` : '';
  return `In another service; imported${who} on ${at.slice(0, 10)}`;
}

/** What happened without who and which one: "changed the dashboard". */
export function actionText({ activity, scope }: Pick<LogEntry, 'activity' | 'scope'>): string {
  const words = scope.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return `${DONE[activity] ?? activity.replaceAll('_', ' ')} the ${ONE[scope] ?? words}`;
}

/** What of an entry its summary needs. */
interface Summed extends Pick<LogEntry, 'scope'> {
  detail: Pick<LogEntry['detail'], 'changes'>;
}

/** What a change is about, in a few words: the fields that differ, or what an access rule says. */
export function summaryText({ scope, detail: { changes } }: Summed): string {
  if (scope === 'AccessControl') {
    const rule = (changes[0]?.after ?? changes[0]?.before ?? {}) as Record<string, unknown>;
    const what = RESOURCES.find(({ resource }) => resource === rule['resource'])?.label ?? 'The project';
    return `${what}: ${LEVEL_NAMES[String(rule['access_level'])] ?? rule['access_level']}`;
  }
  return [...new Set(changes.map(({ field }) => field.replaceAll('_', ' ')))].join(', ');
}

const LEVEL_NAMES: Readonly<Record<string, string>> = { ...OBJECT_LEVEL_NAMES, member: 'Member', admin: 'Administrator' };

/** Where the object of an entry is shown, below the project; null: nowhere. */
export function placeOf({ scope, item_id: id, activity, detail }: LogEntry): { path: string; search?: object } | null {
  if (activity === 'deleted' || id === null) return null;
  switch (scope) {
    case 'Dashboard':
      return { path: `/dashboards/${id}` };
    case 'Insight':
      return detail.short_id ? { path: `/insights/${detail.short_id}` } : null;
    case 'FeatureFlag':
      return { path: `/flags/${id}` };
    case 'Experiment':
      return { path: `/experiments/${id}` };
    case 'Survey':
      return { path: `/surveys/${id}` };
    case 'Cohort':
      return { path: `/cohorts/${id}` };
    case 'EventDefinition':
      return { path: '/definitions', search: { open: id } };
    case 'Alert':
      return { path: '/insights/alerts', search: { search: detail.name ?? undefined } };
    case 'Annotation':
      return { path: '/annotations' };
    case 'Project':
      return { path: '/settings/project' };
    default:
      return null;
  }
}

const MAX_DIFFERENCES = 100;

/** What differs between two values of a field, part by part. Equal parts are left out. */
export function valueDifferences(field: string, before: unknown, after: unknown): Difference[] {
  const [old, now] = [partsOf(before, ''), partsOf(after, '')];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((path) => ({ what: field + path, before: old.get(path) ?? '', after: now.get(path) ?? '' }))
    .filter((one) => one.before !== one.after)
    .slice(0, MAX_DIFFERENCES);
}

function partsOf(value: unknown, path: string): Map<string, string> {
  if (value === null || value === undefined) return new Map();
  if (typeof value !== 'object') return new Map([[path, String(value)]]);
  const entries = Object.entries(value);
  const isFlat = Array.isArray(value) && entries.every(([, one]) => typeof one !== 'object' || one === null);
  if (entries.length === 0 || isFlat) return new Map([[path, Array.isArray(value) ? value.join(', ') : 'empty']]);
  return new Map(
    entries.flatMap(([key, one]) => [...partsOf(one, Array.isArray(value) ? `${path} ${Number(key) + 1}` : `${path}.${key}`)]),
  );
}
