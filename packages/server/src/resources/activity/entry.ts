import { isDeepStrictEqual } from 'node:util';
import type { AccessResource, RuleChange } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';

/** The kinds of objects that the log records. */
export const ACTIVITY_SCOPES = [
  'AccessControl',
  'Action',
  'Alert',
  'Annotation',
  'Cohort',
  'Dashboard',
  'DashboardCollaborator',
  'DashboardTemplate',
  'DashboardTile',
  'EarlyAccessFeature',
  'EventDefinition',
  'Experiment',
  'ExplicitMember',
  'FeatureFlag',
  'Group',
  'GroupType',
  'Insight',
  'InsightVariable',
  'Notebook',
  'Organization',
  'OrganizationInvite',
  'OrganizationMember',
  'Person',
  'PersonalAPIKey',
  'Project',
  'PropertyDefinition',
  'Role',
  'RoleMember',
  'SessionRecordingPlaylist',
  'SharePassword',
  'SharingConfiguration',
  'Survey',
] as const;
export type ActivityScope = (typeof ACTIVITY_SCOPES)[number];

/** What happened. */
export type Activity =
  | 'created'
  | 'updated'
  | 'deleted'
  | 'restored'
  | 'exported'
  | 'joined'
  | 'left'
  | 'rolled'
  | 'password_reset'
  | 'token_reset'
  | 'token_refreshed'
  | 'moved';

/** The change of one field. */
export interface Change {
  /** The kind of object that has the field. */
  type: ActivityScope;
  /** `created`: there was nothing before; `deleted`: there is nothing after. */
  action: 'changed' | 'created' | 'deleted';
  field: string;
  before: unknown;
  after: unknown;
}

/** An object with its own access rules. */
export interface Subject {
  resource: AccessResource;
  id: number;
}

/** Scopes of objects with access rules. */
export const RESOURCES = {
  Action: 'action',
  Cohort: 'cohort',
  Dashboard: 'dashboard',
  Experiment: 'experiment',
  FeatureFlag: 'feature_flag',
  Insight: 'insight',
  Notebook: 'notebook',
} as const satisfies Partial<Record<ActivityScope, AccessResource>>;

/**
 * Scopes of parts of such objects: callers who may not see the object must not see the changes of its parts. A survey counts as a
 * part of itself, because entries name it by its UUID and access rules by its number.
 */
type PartScope =
  | 'AccessControl'
  | 'Alert'
  | 'Annotation'
  | 'DashboardCollaborator'
  | 'DashboardTile'
  | 'SharePassword'
  | 'SharingConfiguration'
  | 'Survey';

/** An entry of the log, as the module that makes the change writes it. */
export type ActivityEntry = EntryFields &
  (
    | { scope: keyof typeof RESOURCES; itemId: number }
    /** `of`: the object that it is a part of; null: the project. */
    | { scope: PartScope; itemId: string | number | null; of: Subject | null }
    | { scope: Exclude<ActivityScope, PartScope | keyof typeof RESOURCES>; itemId: string | number | null }
  );

interface EntryFields {
  organizationId: string;
  /** Null: about the organization or a user; only the organization's administrators see it. */
  projectId: number | null;
  /** Null: the service itself. */
  userId: number | null;
  activity: Activity;
  detail: {
    /** The display name of the object. */
    name: string | null;
    short_id?: string | null;
    changes?: readonly Change[];
    /** The job that made the change; null: a request. */
    trigger?: { job_type: string; job_id: string } | null;
    /** A kind within the scope. */
    type?: string | null;
  };
}

/** The project and the caller of a request. */
export type Caller = Pick<ProjectContext, 'project' | 'principal'>;

/** The fields of an entry that come from the request. */
export const byCaller = ({ project, principal }: Caller) => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: principal.userId,
});

/** The activity of an update of an object that is deleted softly. */
export function kindOfChange(before: { deleted: boolean }, after: { deleted: boolean }): Activity {
  if (before.deleted === after.deleted) return 'updated';
  return after.deleted ? 'deleted' : 'restored';
}

/** The subject of an access rule: an object, or (`of` null) the project or all its objects of a kind. */
interface RuleSubject {
  of: Subject | null;
  name: string | null;
  short_id?: string;
}

/** The entry for a change of an access rule. */
export function ruleEntry(caller: Caller, { of, ...detail }: RuleSubject, { before, after }: RuleChange): ActivityEntry {
  const activity = before === null ? 'created' : after === null ? 'deleted' : 'updated';
  const action = activity === 'updated' ? 'changed' : activity;
  return {
    ...byCaller(caller),
    activity,
    scope: 'AccessControl',
    itemId: of?.id ?? caller.project.id,
    of,
    detail: { ...detail, changes: [{ type: 'AccessControl', action, field: 'rule', before, after }] },
  };
}

/** Characters of JSON beyond which the log has only the length of a value, because it stores each value twice. */
const MAX_VALUE = 50_000;

/**
 * The differences between two states of an object, in the order of `fields`. Null and undefined are the same. Changes of secrets
 * (tokens, passwords, hashes, addresses of webhooks) have no values.
 */
export function changesBetween<Before extends object, After extends object>(
  scope: ActivityScope,
  before: Before,
  after: After,
  fields: readonly (keyof Before & keyof After & string)[],
): Change[] {
  return fields.flatMap((field) => {
    const [old, now]: [unknown, unknown] = [before[field] ?? null, after[field] ?? null];
    if (isDeepStrictEqual(old, now)) return [];
    return [{ type: scope, action: actionOf(old, now), field, before: loggedValue(field, old), after: loggedValue(field, now) }];
  });
}

function actionOf(before: unknown, after: unknown): Change['action'] {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'changed';
}

/** A value as the log stores it: without secrets, and not longer than some limit. */
export function loggedValue(field: string, value: unknown): unknown {
  if (isSecret(field, value)) return null;
  const { length } = JSON.stringify(value) ?? '';
  return length > MAX_VALUE ? `(${length} characters)` : value;
}

/** Tells whether the log must not have a value. Booleans such as `password_required` are no secrets. */
const isSecret = (field: string, value: unknown): boolean =>
  typeof value !== 'boolean' && /token|password|secret|hash|webhook/i.test(field);
