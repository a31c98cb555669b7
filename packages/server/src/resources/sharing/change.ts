import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { hashPassword } from '../accounts/index.js';
import { changesBetween, recordActivity } from '../activity/index.js';
import { sharingEntry } from '../shares/index.js';
import type { PasswordFields, SharingFields } from './schema.js';
import { requireNothingHidden, type ShareTarget } from './shareable.js';
import {
  countPasswords,
  deletePassword,
  insertPassword,
  insertSharing,
  listPasswords,
  lockSharing,
  mayBeShared,
  readSharing,
  type SharingRow,
  updateSharing,
} from './store.js';
import { passwordView, sharingView } from './view.js';

/** 176 bits, so that nobody can guess the address of a public page. */
const TOKEN_BYTES = 22;
/** Grace period of a replaced token, so that open pages and embedded ones do not break at once; milliseconds. */
const GRACE_MS = 5 * 60_000;

/** The sharing configuration of an object. The first read creates it, disabled, so that its token exists before it is published. */
export async function showSharing(context: ProjectContext, target: ShareTarget) {
  const { deps, project } = context;
  const [found, passwords] = await Promise.all([
    readSharing(deps.db, project.id, target),
    listPasswords(deps.db, project.id, target),
  ]);
  return sharingView(found ?? (await ensureSharing(context, target)), passwords);
}

/** Reads the configuration, or creates it. */
async function ensureSharing({ deps, project }: ProjectContext, target: ShareTarget): Promise<SharingRow> {
  const found = await readSharing(deps.db, project.id, target);
  if (found) return found;
  await insertSharing(deps.db, project.id, target, {
    access_token: deps.ids.token(TOKEN_BYTES),
    created_at: new Date(deps.clock.now()),
  });
  const created = await readSharing(deps.db, project.id, target);
  if (!created) throw new ApiError('not_found');
  return created;
}

/**
 * Publishes or unpublishes the page of an object, or changes its settings.
 * @throws ApiError permission_denied: the organization forbids sharing, or the page would show what is hidden from the caller
 */
export async function changeSharing(context: ProjectContext, target: ShareTarget, fields: SharingFields) {
  const { deps, project, principal } = context;
  if (fields.enabled && !(await mayBeShared(deps.db, project.id))) {
    throw new ApiError('permission_denied', 'Public sharing is disabled for this organization.');
  }
  const { enabled, settings, password_required } = fields;
  if (enabled || password_required === false) await requireNothingHidden(target);
  const change = {
    enabled,
    settings: settings === null ? {} : settings,
    password_required,
    // the page shows what this user may see
    published_by: enabled ? principal.userId : undefined,
  };
  if (Object.values(change).every((value) => value === undefined)) return showSharing(context, target);
  const after = await withLockedSharing(context, target, async (tx, before) => {
    const row = await updateSharing(tx, project.id, before.id, change);
    const changes = changesBetween('SharingConfiguration', before, row, ['enabled', 'settings', 'password_required']);
    await recordActivity(tx, deps, sharingEntry(context, target, 'updated', row.id, changes));
    return row;
  });
  return sharingView(after, await listPasswords(deps.db, project.id, target));
}

/**
 * Replaces the token of a public page. The previous token of a published page works for five more minutes.
 * @throws ApiError permission_denied: the page would show what is hidden from the caller
 */
export async function refreshToken(context: ProjectContext, target: ShareTarget) {
  const { deps, project, principal } = context;
  await requireNothingHidden(target);
  const after = await withLockedSharing(context, target, async (tx, before) => {
    const row = await updateSharing(tx, project.id, before.id, {
      access_token: deps.ids.token(TOKEN_BYTES),
      published_by: before.enabled ? principal.userId : undefined,
      // an unpublished page has no visitors, so its previous token needs no grace period
      previous_token: before.enabled ? before.access_token : null,
      previous_token_expires_at: before.enabled ? new Date(deps.clock.now() + GRACE_MS) : null,
    });
    await recordActivity(tx, deps, sharingEntry(context, target, 'token_refreshed', row.id, []));
    return row;
  });
  return sharingView(after, await listPasswords(deps.db, project.id, target));
}

/** Runs a change in a transaction that locks the configuration, and creates it first if necessary. */
async function withLockedSharing<T>(
  context: ProjectContext,
  target: ShareTarget,
  change: (tx: Db, before: SharingRow) => Promise<T>,
): Promise<T> {
  const { deps, project } = context;
  await ensureSharing(context, target);
  return inTransaction(deps.db, async (tx) => change(tx, await lockSharing(tx, project.id, target)));
}

const MIN_LENGTH = 8;
/** A visitor's password is compared with each of them, and each comparison is slow on purpose. */
const MAX_PASSWORDS = 20;
/** Entropy of generated passwords. */
const RANDOM_BYTES = 12;

/** Adds a password. Returns it, for the only time, or an error message. */
export async function addPassword(context: ProjectContext, target: ShareTarget, fields: PasswordFields) {
  const { deps, principal } = context;
  // a password gives access to the page
  await requireNothingHidden(target);
  const password = fields.raw_password ?? deps.ids.token(RANDOM_BYTES);
  if ([...password].length < MIN_LENGTH) return `Password must be at least ${MIN_LENGTH} characters long.`;
  const note = fields.note ?? '';
  const created_at = new Date(deps.clock.now());
  const password_hash = await hashPassword(password);
  return withLockedSharing(context, target, async (tx, { id: sharing_configuration_id }) => {
    if ((await countPasswords(tx, sharing_configuration_id)) >= MAX_PASSWORDS) {
      return `There can be ${MAX_PASSWORDS} passwords. Remove one before adding another.`;
    }
    const row = { sharing_configuration_id, note, password_hash, created_by: principal.userId, created_at };
    const id = await insertPassword(tx, row);
    const change = { type: 'SharePassword', action: 'created', field: 'note', before: null, after: note } as const;
    await recordActivity(tx, deps, sharingEntry(context, target, 'created', id, [change], 'SharePassword'));
    return { ...passwordView({ id, note, created_at, created_by_email: principal.email }), password };
  });
}

/** Removes a password; false: the object has no password with this id. */
export async function removePassword(context: ProjectContext, target: ShareTarget, id: number): Promise<boolean> {
  const { deps, project } = context;
  return inTransaction(deps.db, async (tx) => {
    const removed = await deletePassword(tx, project.id, target, id);
    if (!removed) return false;
    const change = { type: 'SharePassword', action: 'deleted', field: 'note', before: removed.note, after: null } as const;
    await recordActivity(tx, deps, sharingEntry(context, target, 'deleted', id, [change], 'SharePassword'));
    return true;
  });
}
