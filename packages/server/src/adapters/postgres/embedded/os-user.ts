import { execFile } from 'node:child_process';
import { chown, lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whom the server runs as. */
export interface OsUser {
  uid: number;
  gid: number;
}

/**
 * The account for the server of a data directory; null: our own. PostgreSQL refuses to run as root, so root hands it to
 * the owner of the cluster, else to the owner of the data directory, else to `nobody`.
 */
export async function serverUser(dataDir: string, clusterDir: string): Promise<OsUser | null> {
  if (process.getuid?.() !== 0) return null;
  for (const path of [clusterDir, dataDir]) {
    const owner = await stat(path).catch(() => null);
    if (owner && owner.uid !== 0 && (await isNamed(owner.uid))) return { uid: owner.uid, gid: owner.gid };
  }
  const [uid, gid] = await Promise.all([run('id', ['-u', 'nobody']), run('id', ['-g', 'nobody'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** initdb refuses a user without an entry in the user database. */
async function isNamed(uid: number): Promise<boolean> {
  return run('id', ['-un', String(uid)]).then(
    () => true,
    () => false,
  );
}

/** Gives a directory and all in it to the account, where it is not already its own. */
export async function chownTree(account: OsUser | null, directory: string): Promise<void> {
  if (!account || (await stat(directory)).uid === account.uid) return;
  const entries = await readdir(directory, { recursive: true });
  for (const entry of entries) await lchown(join(directory, entry), account.uid, account.gid);
  // last, so that a walk that was cut off is done again
  await chown(directory, account.uid, account.gid);
}
