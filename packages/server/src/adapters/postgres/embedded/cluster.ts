import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Scheduler } from '../../../ports/system.js';
import { syncDirectory } from '../../system/index.js';
import type { Binaries } from './binaries.js';
import { stopOrphans } from './orphans.js';
import { chownTree } from './os-user.js';
import { type ServerPaths, spawnOptions } from './paths.js';

const run = promisify(execFile);

/** The only role of the embedded server, and the name of the service's database. */
export const ROLE = 'tidemark';

/**
 * Creates the cluster if there is none. It is created under a draft name and renamed, so a kill at any moment leaves no partial cluster.
 * @returns the password of {@link ROLE}
 */
export async function prepareCluster(
  place: ServerPaths,
  programs: Binaries,
  { fsync, scheduler }: { fsync: boolean; scheduler: Scheduler },
): Promise<string> {
  const password = await readOrCreatePassword(place.dataDir);
  const existing = await stat(place.clusterDir).catch(() => null);
  if (!existing) await createCluster(place, programs, password, { fsync, scheduler });
  else if (!place.user && existing.uid !== process.getuid?.()) {
    throw new Error(
      `${place.clusterDir} belongs to another user (number ${existing.uid}): start Tidemark as that user or as root.`,
    );
  } else await chownTree(place.user, place.clusterDir);
  return password;
}

async function createCluster(
  place: ServerPaths,
  programs: Binaries,
  password: string,
  { fsync, scheduler }: { fsync: boolean; scheduler: Scheduler },
): Promise<void> {
  const draft = `${place.clusterDir}.new`;
  await stopOrphans(draft, scheduler);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  if (place.user) await chown(draft, place.user.uid, place.user.gid);
  const passwordFile = join(place.runDir, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (place.user) await chown(passwordFile, place.user.uid, place.user.gid);
  const { path, options } = spawnOptions(place, draft);
  const given = ['--pgdata', path, '--username', ROLE, '--pwfile', passwordFile, '--auth', 'scram-sha-256', '--wal-segsize', '4'];
  // PostgreSQL's own collation: the order of texts does not depend on the machine
  const locale = ['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'];
  try {
    await run(programs.initdb, [...given, ...locale, '--no-instructions', ...(fsync ? [] : ['--no-sync'])], options);
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(`PostgreSQL could not make its files in ${place.clusterDir}: ${said || error}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, place.clusterDir);
  if (fsync) await syncDirectory(place.dataDir);
}

/** The file with the password of {@link ROLE}. */
export const passwordFileIn = (dataDir: string): string => join(dataDir, 'postgres.password');

/** Reads the password, or creates it. It is durable on disk before the cluster that has it. */
async function readOrCreatePassword(dataDir: string): Promise<string> {
  const file = passwordFileIn(dataDir);
  const existing = await readFile(file, 'utf8').catch(() => '');
  if (existing) return existing;
  const password = randomBytes(24).toString('base64url');
  const draft = await open(`${file}.new`, 'w', 0o600);
  try {
    await draft.writeFile(password);
    await draft.sync();
  } finally {
    await draft.close();
  }
  await rename(`${file}.new`, file);
  await syncDirectory(dirname(file));
  return password;
}
