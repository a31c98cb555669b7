import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { changesBetween, recordActivity } from '../activity/index.js';
import { sharingEntry } from '../shares/index.js';
import { listPasswords } from './password-store.js';
import type { SharingFields } from './schema.js';
import { requireWhole, type ShareTarget } from './shareable.js';
import { insertSharing, lockSharing, mayBeShared, readSharing, type SharingRow, updateSharing } from './store.js';
import { sharingView } from './view.js';

/** 176 bits: nobody guesses the address of a public page. */
const TOKEN_BYTES = 22;
/** How long a replaced token stays good, so that open pages and embeddings do not break at once. */
const GRACE_MS = 5 * 60_000;

/** How a thing is shared. The configuration is made, switched off, when somebody first asks: its token never changes by itself. */
export async function showSharing(context: ProjectContext, target: ShareTarget) {
  const { deps, project } = context;
  const [found, passwords] = await Promise.all([
    readSharing(deps.db, project.id, target),
    listPasswords(deps.db, project.id, target),
  ]);
  return sharingView(found ?? (await ensureSharing(context, target)), passwords);
}

/** The configuration, made if it is not there yet. */
export async function ensureSharing({ deps, project }: ProjectContext, target: ShareTarget): Promise<SharingRow> {
  const found = await readSharing(deps.db, project.id, target);
  if (found) return found;
  await insertSharing(deps.db, project.id, target, {
    access_token: deps.ids.token(TOKEN_BYTES),
    created_at: new Date(deps.clock.now()),
  });
  const made = await readSharing(deps.db, project.id, target);
  if (!made) throw new ApiError('not_found');
  return made;
}

/**
 * Opens or closes the public page, or changes how it looks.
 * @throws ApiError permission_denied: the organization shares nothing, or the page would show what is closed to the caller
 */
export async function changeSharing(context: ProjectContext, target: ShareTarget, fields: SharingFields) {
  const { deps, project, principal } = context;
  if (fields.enabled && !(await mayBeShared(deps.db, project.id))) {
    throw new ApiError('permission_denied', 'Public sharing is disabled for this organization.');
  }
  const { enabled, settings, password_required } = fields;
  if (enabled || password_required === false) await requireWhole(target);
  const change = {
    enabled,
    settings: settings === null ? {} : settings,
    password_required,
    // the page shows what the access rules leave to the one who opened it last
    published_by: enabled ? principal.userId : undefined,
  };
  if (Object.values(change).every((value) => value === undefined)) return showSharing(context, target);
  const after = await inOrder(context, target, async (tx, before) => {
    const row = await updateSharing(tx, project.id, before.id, change);
    const changes = changesBetween('SharingConfiguration', before, row, ['enabled', 'settings', 'password_required']);
    await recordActivity(tx, deps, sharingEntry(context, target, 'updated', row.id, changes));
    return row;
  });
  return sharingView(after, await listPasswords(deps.db, project.id, target));
}

/**
 * Gives the public page a new address. An open page can be reached by the old one for five more minutes.
 * @throws ApiError permission_denied: the page would show what is closed to the caller
 */
export async function refreshToken(context: ProjectContext, target: ShareTarget) {
  const { deps, project, principal } = context;
  await requireWhole(target);
  const after = await inOrder(context, target, async (tx, before) => {
    const row = await updateSharing(tx, project.id, before.id, {
      access_token: deps.ids.token(TOKEN_BYTES),
      published_by: before.enabled ? principal.userId : undefined,
      // of a closed page nobody has the address open, and whoever closed it wants the old one gone
      previous_token: before.enabled ? before.access_token : null,
      previous_token_expires_at: before.enabled ? new Date(deps.clock.now() + GRACE_MS) : null,
    });
    await recordActivity(tx, deps, sharingEntry(context, target, 'token_refreshed', row.id, []));
    return row;
  });
  return sharingView(after, await listPasswords(deps.db, project.id, target));
}

/** Runs changes of one configuration one after the other. */
export async function inOrder<T>(
  context: ProjectContext,
  target: ShareTarget,
  change: (tx: Db, before: SharingRow) => Promise<T>,
): Promise<T> {
  const { deps, project } = context;
  await ensureSharing(context, target);
  return inTransaction(deps.db, async (tx) => change(tx, await lockSharing(tx, project.id, target)));
}
