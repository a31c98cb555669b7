import type { AccessResource } from '../../access/index.js';

/** What the log is about. */
export const ACTIVITY_SCOPES = [
  'AccessControl',
  'Action',
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
  | 'token_reset'
  | 'token_refreshed'
  | 'moved';

/** What one field was and is. */
export interface Change {
  /** The kind of object that has the field. */
  type: ActivityScope;
  /** `created`: there was nothing before; `deleted`: there is nothing after. */
  action: 'changed' | 'created' | 'deleted';
  field: string;
  before: unknown;
  after: unknown;
}

/** An object that has rules of its own about who may see it. */
export interface Subject {
  resource: AccessResource;
  id: number;
}

/** Scopes of such objects. */
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
 * Scopes of parts of such objects: who may not see the object must not see what happens to its parts. A survey is one of itself: it
 * is known by its UUID, and by its number only to the rules.
 */
type PartScope =
  | 'AccessControl'
  | 'Annotation'
  | 'DashboardCollaborator'
  | 'DashboardTile'
  | 'SharePassword'
  | 'SharingConfiguration'
  | 'Survey';

/** One line of the log, as the room that made the change tells it. */
export type ActivityEntry = EntryFields &
  (
    | { scope: keyof typeof RESOURCES; itemId: number }
    /** `of`: what it is a part of; null: the project itself. */
    | { scope: PartScope; itemId: string | number | null; of: Subject | null }
    | { scope: Exclude<ActivityScope, PartScope | keyof typeof RESOURCES>; itemId: string | number | null }
  );

interface EntryFields {
  organizationId: string;
  /** Null: about the organization or a user; only the organization's administrators see it. */
  projectId: number | null;
  /** Null: nobody but the service itself. */
  userId: number | null;
  activity: Activity;
  detail: {
    /** What the object is called, for people. */
    name: string | null;
    short_id?: string | null;
    changes?: readonly Change[];
    /** What set it off, when that was no request of a user. */
    trigger?: { job_type: string; job_id: string } | null;
    /** Kind within the scope. */
    type?: string | null;
  };
}
