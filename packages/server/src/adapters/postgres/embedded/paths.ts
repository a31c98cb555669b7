import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OsUser, serverUser } from './os-user.js';

/** Where one embedded server lives. */
export interface ServerPaths {
  dataDir: string;
  /** The cluster: `<dataDir>/postgres`. */
  clusterDir: string;
  /** Short-lived directory of this start, open to the server alone: its socket, and its programs if they cannot stay. */
  runDir: string;
  user: OsUser | null;
}

/** The file that names the {@link ServerPaths.runDir} of the present start. */
export const runDirFile = (dataDir: string): string => join(dataDir, 'postgres.run');

/** Longest path of a directory in which PostgreSQL can open its socket (103 bytes on macOS, less `/.s.PGSQL.5432`). */
const LONGEST_DIRECTORY = 103 - 14;

/** Finds out who runs the server of a data directory, and makes the directory for its socket. */
export async function choosePaths(dataDir: string): Promise<ServerPaths> {
  const clusterDir = join(dataDir, 'postgres');
  const account = await serverUser(dataDir, clusterDir);
  const pointer = runDirFile(dataDir);
  // what a start that was killed left behind
  const left = await readFile(pointer, 'utf8').catch(() => '');
  if (left) await rm(left, { recursive: true, force: true });
  // the temporary directory that root is told of may be closed to others
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
 * How to start a program of the server on a cluster. Root's directories may be closed to the account, so the program is
 * put into the cluster's directory before it changes its user and knows it as its working directory only.
 */
export function spawnOptions(place: ServerPaths, clusterDir: string) {
  const hidden = place.user !== null && process.platform === 'linux';
  return {
    path: hidden ? '/proc/self/cwd' : clusterDir,
    options: {
      cwd: clusterDir,
      // nothing of our own environment, which holds secrets; messages in English, because the log is read by people and us
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
      ...place.user,
    },
  };
}
