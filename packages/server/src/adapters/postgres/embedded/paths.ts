import { execFile } from 'node:child_process';
import { chown, lchown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Directories and operating system account of one embedded server. */
export interface ServerPaths {
  dataDir: string;
  /** The cluster: `<dataDir>/postgres`. */
  clusterDir: string;
  /**
   * Temporary directory of this start, accessible to the server's account only. It contains the socket, and copies of programs that the
   * account cannot run in place.
   */
  runDir: string;
  user: OsUser | null;
}

/** File with the path of the current {@link ServerPaths.runDir}. */
export const runDirFile = (dataDir: string): string => join(dataDir, 'postgres.run');

/** Longest path of a directory in which PostgreSQL can open its socket (103 bytes on macOS, less `/.s.PGSQL.5432`). */
const LONGEST_DIRECTORY = 103 - 14;

/** Determines the account that runs the server of a data directory, and creates the directory for its socket. */
export async function choosePaths(dataDir: string): Promise<ServerPaths> {
  const clusterDir = join(dataDir, 'postgres');
  const account = await serverUser(dataDir, clusterDir);
  const pointer = runDirFile(dataDir);
  // the directory of a start that was killed
  const left = await readFile(pointer, 'utf8').catch(() => '');
  if (left) await rm(left, { recursive: true, force: true });
  // root's TMPDIR may be inaccessible to other accounts
  const base = account || Buffer.byteLength(tmpdir()) > LONGEST_DIRECTORY - 20 ? '/tmp' : tmpdir();
  const runDir = await mkdtemp(join(base, 'tidemark-pg-'));
  await writeFile(pointer, runDir);
  if (account) await chown(runDir, account.uid, account.gid);
  return { dataDir, clusterDir, runDir, user: account };
}

/** Undoes {@link choosePaths}. */
export async function removePaths(place: ServerPaths): Promise<void> {
  await rm(place.runDir, { recursive: true, force: true });
  await rm(runDirFile(place.dataDir), { force: true });
}

/**
 * Options to spawn a program of the server on a cluster. The account may have no access to parents of the cluster's directory. So root
 * spawns the program with that directory as its working directory, and the program refers to it as such.
 */
export function spawnOptions(place: ServerPaths, clusterDir: string) {
  const hidden = place.user !== null && process.platform === 'linux';
  return {
    path: hidden ? '/proc/self/cwd' : clusterDir,
    options: {
      cwd: clusterDir,
      // not the environment of this process, which contains secrets; messages in English, because this process parses the log
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
      ...place.user,
    },
  };
}

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
async function serverUser(dataDir: string, clusterDir: string): Promise<OsUser | null> {
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
