// What `npm start`, `npm test` and `npm run check` need before they can do their work: packages and a build.
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.mjs';

const LOCK = join(root, 'package-lock.json');
const INSTALLED = join(root, 'node_modules/.package-lock.json');
const BUILT = join(root, 'packages/server/dist/.built');

/**
 * Installs the packages when there are none or the lock file is newer.
 * @param {string} step shown in front, such as `1/3`
 */
export async function install(step) {
  if (modified(INSTALLED) >= modified(LOCK)) return console.log(`[${step}] Packages are installed`);
  const wanted = wantedPackages();
  console.log(`[${step}] Installing ${wanted.length} packages (about 1 GB on disk, usually 1 to 3 minutes)`);
  const took = stopwatch();
  const timer = setInterval(() => {
    const there = wanted.filter((path) => existsSync(join(root, path, 'package.json'))).length;
    console.log(`[${step}] ${there} of ${wanted.length} packages after ${took()}`);
  }, 10_000);
  try {
    await npmInstall(step);
  } finally {
    clearInterval(timer);
  }
  // npm leaves this file alone when nothing changed, and its age is what we look at
  utimesSync(INSTALLED, new Date(), new Date());
  console.log(`[${step}] Packages installed in ${took()}`);
}

/** @returns {string[]} folders of the packages that this machine needs */
function wantedPackages() {
  /** @type {[string, { os?: string[], cpu?: string[], libc?: string[] }][]} */
  const packages = Object.entries(JSON.parse(readFileSync(LOCK, 'utf8')).packages);
  return packages
    .filter(([path, { os, cpu, libc }]) => {
      const fits = (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);
      return path.startsWith('node_modules/') && fits && (libc?.includes('glibc') ?? true);
    })
    .map(([path]) => path);
}

/** @param {string} step */
async function npmInstall(step) {
  // the tools that build are development packages, which NODE_ENV=production would leave out
  const flags = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const clean = await run('npm', ['ci', ...flags], { quiet: true });
  if (clean.code === 0) return;
  if (!/can only install packages when|in sync/.test(clean.output)) return fail('npm ci', clean);
  console.log(`[${step}] package-lock.json does not match package.json: going by package.json (npm install mends the lock file)`);
  const update = await run('npm', ['install', '--no-save', ...flags], { quiet: true });
  if (update.code !== 0) fail('npm install', update);
}

/**
 * Compiles the packages when a source is newer than the last build.
 * @param {string} step shown in front, such as `2/3`
 */
export async function build(step) {
  if (modified(BUILT) > newestSource()) return console.log(`[${step}] The build is up to date`);
  console.log(`[${step}] Building (10 to 30 seconds the first time)`);
  const took = stopwatch();
  const started = new Date();
  const result = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b'], { quiet: true });
  if (result.code !== 0) fail('tsc -b', result);
  // imported late: there is no esbuild before the packages are installed
  const { bundleBrowserScript } = await import('../packages/browser/bundle.mjs');
  await bundleBrowserScript();
  writeFileSync(BUILT, '');
  utimesSync(BUILT, started, started);
  console.log(`[${step}] Built in ${took()}`);
}

/** @returns {number} when the newest file that the build reads was changed, epoch milliseconds */
function newestSource() {
  const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  const settings = [join(root, 'tsconfig.base.json'), join(root, 'tsconfig.json'), INSTALLED];
  for (const path of packages) {
    settings.push(join(path, 'tsconfig.json'), join(path, 'package.json'));
    for (const entry of readdirSync(join(path, 'src'), { recursive: true, encoding: 'utf8' }))
      settings.push(join(path, 'src', entry));
  }
  return Math.max(...settings.map(modified));
}

/** @param {string} path @returns {number} epoch milliseconds, 0 when there is no such file */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** @returns {() => string} the time since, such as `12 s` */
export function stopwatch() {
  const start = performance.now();
  return () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/** @param {string} what @param {{ code: number, output: string }} result @returns {never} */
function fail(what, result) {
  console.error(result.output);
  console.error(`${what} failed with code ${result.code}; the reason is above.`);
  process.exit(1);
}
