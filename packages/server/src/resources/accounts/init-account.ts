import { secretHash } from '../../auth/index.js';
import type { InitAccount } from '../../config.js';
import type { Deps } from '../../deps.js';
import { isUniqueViolation } from '../../kernel/sql.js';
import { foundOrganization } from '../organizations/index.js';
import { hashPassword } from './password.js';
import { emailTaken, insertKey, insertUser, lockSignup } from './store.js';

/**
 * Makes the account of the TIDEMARK_INIT_* settings with its organization, project and key, unless its user exists. Several
 * servers may start together. Fails when another project or user holds one of the keys.
 */
export async function ensureInitAccount(deps: Deps): Promise<void> {
  const { init } = deps.config;
  if (!init || (await emailTaken(deps.db, init.email))) return;
  const passwordHash = await hashPassword(init.password);
  try {
    await insertAccount(deps, init, passwordHash);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Error('TIDEMARK_INIT_PROJECT_KEY or TIDEMARK_INIT_PERSONAL_KEY is in use by another project or user.');
  }
}

async function insertAccount(deps: Deps, init: InitAccount, passwordHash: string): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    await lockSignup(trx);
    if (await emailTaken(trx, init.email)) return;
    const firstName = init.email.split('@')[0] ?? '';
    const userId = await insertUser(trx, deps, { email: init.email, firstName, lastName: '', passwordHash });
    const { organization: name, project, projectKey } = init;
    await foundOrganization(trx, deps, { userId, name, project, projectKey });
    if (!init.personalKey) return;
    await insertKey(trx, {
      id: deps.ids.uuid(),
      userId,
      label: 'Made at the first start',
      hash: secretHash(init.personalKey),
      mask: `tms_...${init.personalKey.slice(-4)}`,
      scopes: ['*'],
      now: new Date(deps.clock.now()),
    });
  });
}
