import { endSessions } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import type { Db } from '../../ports/db.js';
import { hashPassword, type Passwords } from './password.js';
import { findAccount, updateUser } from './store.js';
import { unlockAccount } from './throttle.js';

/**
 * Gives an account a new password, ends its sessions and forgets its failed log-ins; its personal API keys stay. Answers with
 * the account's e-mail address; null: there is no such account.
 * @throws ApiError password_too_short, password_too_weak
 */
export async function resetPassword(
  { db, passwords }: { db: Db; passwords: Passwords },
  email: string,
  password: string,
): Promise<string | null> {
  const account = await findAccount(db, email);
  if (!account) return null;
  await passwords.requireStrong(password, [account.email, account.first_name, account.last_name]);
  const password_hash = await hashPassword(password);
  await inTransaction(db, async (tx) => {
    await updateUser(tx, account.id, { password_hash });
    await endSessions(tx, account.id);
    await unlockAccount(tx, account.email);
  });
  return account.email;
}
