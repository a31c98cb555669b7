// Installs the npm packages that a command needs: those of `npm start`, or all.
import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fail, modified, root, run, stopwatch } from './run.mjs';

const LOCK = join(root, 'package-lock.json');
/** The last file that npm writes when it installs. */
export const INSTALLED = join(root, 'node_modules/.package-lock.json');
/** The workspaces that `npm start` builds and runs. */
const STARTED = ['packages/server', 'packages/browser', 'packages/player', 'packages/page-scripts', 'packages/web'];
const FLAGS = ['--no-audit', '--no-fund', '--loglevel=error'];
// the tools of development are development packages, which NODE_ENV=production would leave out
const ALL = ['--include=dev', ...FLAGS];
const TO_START = ['--omit=dev', '--include-workspace-root', ...STARTED.map((path) => `--workspace=${path}`), ...FLAGS];

/** @typedef {{ dependencies?: object, optional?: boolean, devOptional?: boolean, link?: boolean, resolved?: string }} Locked */

/**
 * Installs the packages when some are missing or the lock file is newer.
 * @param {string} step shown in front, such as `1/3`
 * @param {{ toStart?: boolean }} [options] toStart: only the packages that build and run the service; others that are installed stay.
 */
export async function install(step, { toStart = false } = {}) {
  const stale = modified(INSTALLED) < modified(LOCK);
  const isThere = () => console.log(`[${step}] Packages are installed`);
  // any earlier installation includes the packages of `npm start`
  if (toStart && !stale) return isThere();
  const some = toStart && !existsSync(join(root, 'node_modules/vitest'));
  const wanted = some ? packagesToStart() : packagesOfLock();
  if (!stale && countInstalled(wanted) === wanted.length) return isThere();
  console.log(`[${step}] Installing ${wanted.length} packages (${some ? '1.1' : '1.8'} GB on disk, usually about a minute)`);
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

/** @returns {Record<string, Locked>} by folder */
function locked() {
  return JSON.parse(readFileSync(LOCK, 'utf8')).packages;
}

/** @returns {string[]} folders of all packages but optional ones, which depend on the machine */
function packagesOfLock() {
  const packages = Object.entries(locked());
  return packages
    .filter(([path, { optional, devOptional }]) => path.startsWith('node_modules/') && !optional && !devOptional)
    .map(([path]) => path);
}

/** @returns {string[]} folders of what the root and what it starts depend on, directly or not, but optional packages */
function packagesToStart() {
  const packages = locked();
  /** @type {Set<string>} */
  const found = new Set();
  const open = ['', ...STARTED];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const name of Object.keys(packages[from]?.dependencies ?? {})) {
      const path = resolve(from, name, packages);
      const entry = path && packages[path];
      if (!entry || found.has(path)) continue;
      found.add(path);
      open.push(entry.link ? (entry.resolved ?? path) : path);
    }
  }
  return [...found];
}

/** @param {string} from @param {string} name @param {object} packages @returns {string | undefined} the folder that Node.js would find */
function resolve(from, name, packages) {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (path in packages) return path;
    if (folder === '.' || folder === '') return undefined;
  }
}
