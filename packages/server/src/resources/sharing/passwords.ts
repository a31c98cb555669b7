import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { hashPassword } from '../accounts/index.js';
import { recordActivity } from '../activity/index.js';
import { sharingEntry } from '../shares/index.js';
import { withLockedSharing } from './change.js';
import { countPasswords, deletePassword, insertPassword } from './password-store.js';
import type { PasswordFields } from './schema.js';
import { requireNothingHidden, type ShareTarget } from './shareable.js';
import { passwordView } from './view.js';

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
