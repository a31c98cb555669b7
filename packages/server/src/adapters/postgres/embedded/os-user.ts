import { execFile } from 'node:child_process';
import { chown, lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An account of the operating system. */
export interface OsUser {
  uid: number;
  gid: number;
}

/**
 * The account that runs the server of a data directory; null: the account of this process. PostgreSQL refuses to run as root. For root
 * it is therefore the owner of the cluster, else the owner of the data directory, else `nobody`.
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

/** Makes the account the owner of a directory and its content, unless it is already. */
export async function chownTree(account: OsUser | null, directory: string): Promise<void> {
  if (!account || (await stat(directory)).uid === account.uid) return;
  const entries = await readdir(directory, { recursive: true });
  for (const entry of entries) await lchown(join(directory, entry), account.uid, account.gid);
  // last, so that the next start repeats an interrupted walk
  await chown(directory, account.uid, account.gid);
}
