// Installs the npm packages that a command needs: those of `npm start`, or all.
import { existsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { LOCK, packagesBelow, packagesOfLock } from './locked-packages.mjs';
import { fail, modified, root, run, stopwatch } from './run.mjs';
import { isStoredAppCurrent } from './stored-app.mjs';

/** The last file that npm writes when it installs. */
export const INSTALLED = join(root, 'node_modules/.package-lock.json');
/** The workspace that `npm start` builds and runs, when the app and the other scripts for browsers are stored. */
const STARTED = 'packages/server';
const FLAGS = ['--no-audit', '--no-fund', '--loglevel=error'];
// the tools of development are development packages, which NODE_ENV=production would leave out
const ALL = ['--include=dev', ...FLAGS];
const TO_START = ['--omit=dev', '--include-workspace-root', `--workspace=${STARTED}`, ...FLAGS];

/**
 * Installs the packages when some are missing or the lock file is newer.
 * @param {string} step shown in front, such as `1/3`
 * @param {{ toStart?: boolean }} [options] toStart: only the packages that build and run the service, unless it has to build the app, too; others that are installed stay.
 */
export async function install(step, { toStart = false } = {}) {
  const stale = modified(INSTALLED) < modified(LOCK);
  const isThere = () => console.log(`[${step}] Packages are installed`);
  // the app and the scripts are built by development packages
  const isEnough = toStart && isStoredAppCurrent();
  // any earlier installation includes the packages that are enough
  if (isEnough && !stale) return isThere();
  const some = isEnough && !existsSync(join(root, 'node_modules/vitest'));
  const wanted = some ? packagesBelow(['', STARTED]).map(({ path }) => path) : packagesOfLock();
  if (!stale && countInstalled(wanted) === wanted.length) return isThere();
  console.log(`[${step}] Installing ${wanted.length} packages (${some ? '0.8' : '1.8'} GB on disk, usually about a minute)`);
  const took = stopwatch();
  const timer = setInterval(() => {
    console.log(`[${step}] ${countInstalled(wanted)} of ${wanted.length} packages after ${took()}`);
  }, 10_000);
  try {
    await npmInstall(step, some ? TO_START : ALL, stale);
  } finally {
    clearInterval(timer);
  }
  // npm does not touch this file when nothing changed, but `stale` compares its age
  utimesSync(INSTALLED, new Date(), new Date());
  console.log(`[${step}] Packages installed in ${took()}`);
}

/** @param {string} step @param {string[]} flags @param {boolean} stale */
async function npmInstall(step, flags, stale) {
  // only when the installed packages may be wrong: `npm ci` first removes them, even under a running service
  const clean = stale && (await run('npm', ['ci', ...flags], { quiet: true }));
  if (clean && clean.code === 0) return;
  if (clean) {
    if (!/can only install packages when|in sync/.test(clean.output)) return fail('npm ci', clean);
    console.log(
      `[${step}] package-lock.json does not match package.json: going by package.json (npm install mends the lock file)`,
    );
  }
  const added = await run('npm', ['install', '--no-save', ...flags], { quiet: true });
  if (added.code !== 0) fail('npm install', added);
}

/** @param {string[]} wanted */
function countInstalled(wanted) {
  return wanted.filter((path) => statSync(join(root, path, 'package.json'), { throwIfNoEntry: false })).length;
}
