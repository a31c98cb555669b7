import { z } from 'zod';
import {
  type Access,
  type AccessObject,
  accessOf,
  CAN_EDIT,
  ONLY_COLLABORATORS_EDIT,
  restrictionOf,
} from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import { findDashboard, hasHiddenTiles } from '../dashboards/index.js';
import { findInsight, insightLevels } from '../insights/index.js';
import { findRecording } from '../recordings/index.js';
import { experimentAccessOf, hidesExperiment } from '../results/index.js';

/** An object of a request that can be shared. */
export interface ShareTarget {
  kind: 'dashboard' | 'insight' | 'session_recording';
  id: number;
  name: string | null;
  shortId: string | null;
  /** Whether the caller may change its sharing. */
  canEdit: boolean;
  /** Whether its page would show something that is hidden from the caller. */
  isPartlyHidden(): Promise<boolean>;
}

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
    const { effective_restriction_level: restriction, can_edit: isInvited } = restrictionOf(context, dashboard);
    const canEdit = restriction === ONLY_COLLABORATORS_EDIT ? isInvited : isEditor(access, dashboard);
    const { id, name } = dashboard;
    return { kind: 'dashboard', id, name, shortId: null, canEdit, isPartlyHidden: () => hasHiddenTiles(context, id) };
  },
};

const insights: Shareable = {
  kind: 'insight',
  collection: 'insights',
  param: 'insight_id',
  id: z.string().describe('Number or short id of the insight.'),
  find: async (context) => {
    const { row, access } = await findInsight(context, context.params['insight_id'] ?? '');
    const isInvited = insightLevels(context, row).effective_privilege_level === CAN_EDIT;
    const canEdit = isInvited && isEditor(access, row);
    return {
      kind: 'insight',
      id: row.id,
      name: row.name || row.derived_name,
      shortId: row.short_id,
      canEdit,
      isPartlyHidden: () => hidesExperiment(context.deps.db, context.project.id, [row.query], experimentAccessOf(context)),
    };
  },
};

const recordings: Shareable = {
  kind: 'session_recording',
  collection: 'session_recordings',
  param: 'recording_id',
  id: z.string().describe('Id of the recorded session.'),
  find: async (context) => {
    const { row, subject } = await findRecording(context, 'recording_id');
    const access = await accessOf(context, 'session_recording');
    access.requireOn(subject, 'viewer');
    const canEdit = isEditor(access, subject);
    return { kind: 'session_recording', id: row.id, name: row.start_url, shortId: null, canEdit, isPartlyHidden };
  },
};

/** For objects without parts that have access rules of their own. */
const isPartlyHidden = async () => false;

function isEditor(access: Access, object: AccessObject): boolean {
  const level = access.levelOn(object);
  return level === 'editor' || level === 'manager';
}

export const SHAREABLES: readonly Shareable[] = [dashboards, insights, recordings];

/** @throws ApiError permission_denied: the page would show visitors what is hidden from the caller */
export async function requireNothingHidden({ kind, isPartlyHidden }: ShareTarget): Promise<void> {
  if (!(await isPartlyHidden())) return;
  const named = kind.replace('_', ' ');
  throw new ApiError(
    'permission_denied',
    `You cannot share this ${named}: it shows insights or experiments that you have no access to.`,
  );
}

/** The object of the path, whose sharing the caller may change. @throws ApiError not_found, permission_denied */
export async function findEditable(shareable: Shareable, context: TargetContext): Promise<ShareTarget> {
  const target = await shareable.find(context);
  if (!target.canEdit)
    throw new ApiError('permission_denied', `You don't have edit permissions for this ${target.kind.replace('_', ' ')}.`);
  return target;
}
