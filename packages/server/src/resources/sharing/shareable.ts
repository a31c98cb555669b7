import { z } from 'zod';
import {
  type AccessLevel,
  type AccessObject,
  accessOf,
  CAN_EDIT,
  ONLY_COLLABORATORS_EDIT,
  type Restricted,
  type RestrictedUser,
  reaches,
  restrictionOf,
} from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import { findDashboard, hasHiddenTiles } from '../dashboards/index.js';
import { findInsight, insightLevels } from '../insights/index.js';
import { findRecording } from '../recordings/index.js';
import { hidesResults, queryAccessOf } from '../results/index.js';

/** An object of a request that can be shared. */
export interface ShareTarget {
  kind: 'dashboard' | 'insight' | 'session_recording';
  id: number;
  name: string | null;
  shortId: string | null;
  resource: 'dashboard' | 'insight' | 'session_recording';
  /** Input of access rules. */
  subject: AccessObject;
  /** The dashboards whose restriction counts: the dashboard itself, or those that an insight is on. */
  places: readonly Place[];
  /** Whether a user with this access level and these rights on {@link places} may change it and its sharing. */
  isEditor(user: RestrictedUser, level: AccessLevel, places: readonly Restricted[]): boolean;
  /** Whether the caller may change its sharing. */
  canEdit: boolean;
  /** Whether its page would show something that is hidden from the caller. */
  isPartlyHidden(): Promise<boolean>;
}

/** A dashboard that decides about the rights on a shared object. */
export type Place = Restricted & { id: number };

export type TargetContext = ProjectContext & { params: Record<string, string> };

/** A kind of objects that can be shared. */
export interface Shareable {
  kind: ShareTarget['kind'];
  /** Path segment of the kind. */
  collection: string;
  /** Path parameter of the id. */
  param: string;
  /** Schema of the id, for the OpenAPI document. */
  id: z.ZodType;
  /** @throws ApiError not_found; permission_denied: hidden from the caller */
  find(context: TargetContext): Promise<ShareTarget>;
}

const dashboards: Shareable = {
  kind: 'dashboard',
  collection: 'dashboards',
  param: 'dashboard_id',
  id: z.int().describe('Number of the dashboard.'),
  find: async (context) => {
    const segment = context.params['dashboard_id'] ?? '';
    const { row: dashboard, access } = await findDashboard(context, segment, 'Dashboard not found.');
    const { id, name, created_by } = dashboard;
    return {
      kind: 'dashboard',
      id,
      name,
      shortId: null,
      resource: 'dashboard',
      subject: { id, created_by },
      places: [dashboard],
      isEditor: editsDashboard,
      canEdit: editsDashboard(context, access.levelOn(dashboard), [dashboard]),
      isPartlyHidden: () => hasHiddenTiles(context, dashboard),
    };
  },
};

/** A restricted dashboard is for its creator, administrators and collaborators; the access rules decide about others. */
function editsDashboard(user: RestrictedUser, level: AccessLevel, places: readonly Restricted[]): boolean {
  return places.every((dashboard) => {
    const { effective_restriction_level: restriction, can_edit: isInvited } = restrictionOf(user, dashboard);
    return restriction === ONLY_COLLABORATORS_EDIT ? isInvited : reaches(level, 'editor');
  });
}

const insights: Shareable = {
  kind: 'insight',
  collection: 'insights',
  param: 'insight_id',
  id: z.string().describe('Number or short id of the insight.'),
  find: async (context) => {
    const { row, access } = await findInsight(context, context.params['insight_id'] ?? '');
    return {
      kind: 'insight',
      id: row.id,
      name: row.name || row.derived_name,
      shortId: row.short_id,
      resource: 'insight',
      subject: { id: row.id, created_by: row.created_by },
      places: row.places,
      isEditor: editsInsight,
      canEdit: editsInsight(context, access.levelOn(row), row.places),
      isPartlyHidden: () => hidesResults(context.deps.db, context.project.id, [row.query], queryAccessOf(context)),
    };
  },
};

const editsInsight: ShareTarget['isEditor'] = (user, level, places) =>
  reaches(level, 'editor') && insightLevels(user, { places }).effective_privilege_level === CAN_EDIT;

const recordings: Shareable = {
  kind: 'session_recording',
  collection: 'session_recordings',
  param: 'recording_id',
  id: z.string().describe('Id of the recorded session.'),
  find: async (context) => {
    const { row, subject } = await findRecording(context, 'recording_id');
    const access = await accessOf(context, 'session_recording');
    access.requireOn(subject, 'viewer');
    return {
      kind: 'session_recording',
      id: row.id,
      name: row.start_url,
      shortId: null,
      resource: 'session_recording',
      subject,
      places: [],
      isEditor: editsRecording,
      canEdit: editsRecording(context, access.levelOn(subject), []),
      isPartlyHidden,
    };
  },
};

const editsRecording: ShareTarget['isEditor'] = (_user, level) => reaches(level, 'editor');

/** For objects without parts that have access rules of their own. */
const isPartlyHidden = async () => false;

export const SHAREABLES: readonly Shareable[] = [dashboards, insights, recordings];

/** @throws ApiError permission_denied: the page would show visitors what is hidden from the caller */
export async function requireNothingHidden({ kind, isPartlyHidden }: ShareTarget): Promise<void> {
  if (!(await isPartlyHidden())) return;
  const named = kind.replace('_', ' ');
  throw new ApiError(
    'permission_denied',
    `You cannot share this ${named}: it shows insights, experiments, persons or groups that you have no access to.`,
  );
}

/** The object of the path, whose sharing the caller may change. @throws ApiError not_found, permission_denied */
export async function findEditable(shareable: Shareable, context: TargetContext): Promise<ShareTarget> {
  const target = await shareable.find(context);
  if (!target.canEdit)
    throw new ApiError('permission_denied', `You don't have edit permissions for this ${target.kind.replace('_', ' ')}.`);
  return target;
}
