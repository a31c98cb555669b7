import type { AccessRule, ExplicitMember, Member, Role } from '../data/members.js';

/** A level and where it comes from. */
export interface Explained<Value> {
  level: Value;
  reason: string;
}

/** Level in a project: 0 none, 1 member, 8 administrator, 15 owner. */
export type ProjectLevel = 0 | 1 | 8 | 15;
export type ObjectLevel = 'none' | 'viewer' | 'editor' | 'manager';

export const PROJECT_LEVEL_NAMES: Record<ProjectLevel, string> = { 0: 'No access', 1: 'Member', 8: 'Administrator', 15: 'Owner' };
export const OBJECT_LEVELS = ['none', 'viewer', 'editor', 'manager'] as const;
export const OBJECT_LEVEL_NAMES: Record<ObjectLevel, string> = {
  none: 'No access',
  viewer: 'Can view',
  editor: 'Can edit',
  manager: 'Can manage',
};

/** The kinds of objects that rules can be about and that the app shows. */
export const RESOURCES: readonly { resource: string; label: string }[] = [
  { resource: 'dashboard', label: 'Dashboards' },
  { resource: 'insight', label: 'Insights' },
  { resource: 'feature_flag', label: 'Feature flags' },
  { resource: 'experiment', label: 'Experiments' },
  { resource: 'survey', label: 'Surveys' },
  { resource: 'cohort', label: 'Cohorts' },
  { resource: 'person', label: 'Persons' },
  { resource: 'group', label: 'Groups' },
  { resource: 'session_recording', label: 'Recordings' },
  { resource: 'action', label: 'Actions' },
  { resource: 'annotation', label: 'Annotations' },
  { resource: 'event_definition', label: 'Event definitions' },
  { resource: 'property_definition', label: 'Property definitions' },
  { resource: 'export', label: 'Exports' },
  { resource: 'project_settings', label: 'Project settings' },
];

/** What decides about one member in a project. */
export interface Grants {
  member: Pick<Member, 'id' | 'level' | 'is_active'>;
  isClosed: boolean;
  explicit: Pick<ExplicitMember, 'level'> | null;
  /** The rules about the project itself. */
  rules: readonly AccessRule[];
  /** All roles of the organization. */
  roles: readonly Role[];
}

/** The level of a member in a project, as the service decides it, with the reason. */
export function explainProjectLevel({ member, isClosed, explicit, rules, roles }: Grants): Explained<ProjectLevel> {
  if (!member.is_active) return { level: 0, reason: 'Switched off in the organization' };
  if (member.level === 15) return { level: 15, reason: 'Owner of the organization' };
  if (member.level === 8) return { level: 8, reason: 'Administrator of the organization' };
  const rule = decidingRule(rules, PROJECT_RANKS, member.id, roles);
  if (rule?.access_level === 'none') return { level: 0, reason: ruleReason(rule, roles) };
  if (isClosed && !explicit) return { level: 0, reason: 'The project is closed, and nothing names this person' };
  const isAdminByRule = rule?.access_level === 'admin';
  if (isAdminByRule) return { level: 8, reason: ruleReason(rule, roles) };
  if (isClosed) return { level: explicit && explicit.level >= 8 ? 8 : 1, reason: 'Named in this project' };
  return { level: 1, reason: rule ? ruleReason(rule, roles) : 'Everybody in the organization' };
}

/** The level of a member on objects of a kind that have no rules of their own. */
export function explainObjectLevel(
  { member, rules, roles }: Pick<Grants, 'member' | 'rules' | 'roles'>,
  resource: string,
  projectLevel: ProjectLevel,
): Explained<ObjectLevel> {
  if (projectLevel === 0) return { level: 'none', reason: 'No access to the project' };
  if (projectLevel >= 8) return { level: 'manager', reason: 'Administrator of the project' };
  const about = rules.filter((rule) => rule.resource === resource && rule.resource_id === null);
  const rule = decidingRule(about, OBJECT_LEVELS, member.id, roles);
  if (!rule) return { level: 'editor', reason: 'All members, no rule' };
  return { level: OBJECT_LEVELS.find((level) => level === rule.access_level) ?? 'none', reason: ruleReason(rule, roles) };
}

const PROJECT_RANKS = ['none', 'member', 'admin'] as const;

/** The highest of the rules that name a member or one of their roles, else the rule for everybody. */
function decidingRule(
  rules: readonly AccessRule[],
  ranks: readonly string[],
  membership: string,
  roles: readonly Role[],
): AccessRule | undefined {
  const own = new Set(
    roles.filter(({ members }) => members.some((one) => one.organization_member === membership)).map(({ id }) => id),
  );
  const named = rules.filter(
    ({ organization_member, role }) => organization_member === membership || (role !== null && own.has(role)),
  );
  const rank = (rule: AccessRule): number => ranks.indexOf(rule.access_level);
  const [highest] = named.toSorted((a, b) => rank(b) - rank(a));
  return highest ?? rules.find(({ organization_member, role }) => organization_member === null && role === null);
}

function ruleReason({ organization_member, role }: AccessRule, roles: readonly Role[]): string {
  if (organization_member) return 'A rule names this person';
  if (role) return `Role “${roles.find(({ id }) => id === role)?.name ?? 'deleted'}”`;
  return 'Rule for everybody';
}
