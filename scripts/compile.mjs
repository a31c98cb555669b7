// From sources to what runs: JavaScript alone, which takes seconds, or with types.
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCommonJs } from './commonjs.mjs';
import { INSTALLED } from './install.mjs';
import { packClients } from './release/client-packages.mjs';
import { fail, modified, root, run, stopwatch } from './run.mjs';
import { buildApp, isStoredAppCurrent, unpackApp } from './stored-app.mjs';

const BUILT = join(root, 'packages/server/dist/.built');
const BUILT_WITH_TYPES = join(root, 'packages/server/dist/.built-with-types');
/** Tarballs of the client libraries, which the service serves. `npm start` makes none: they hold types. */
export const CLIENTS = join(root, 'packages/server/dist/packages');
/** What the service is made of. */
const SERVICE = ['wire', 'flags', 'charts', 'server'];
/** What the app and the scripts that it serves are made of besides. */
const FOR_BROWSERS = ['client', 'browser', 'react', 'api'];

/**
 * Compiles what `npm start` runs when a source is newer than the last build. Types are not looked at.
 * @param {string} step shown in front, such as `2/3`
 */
export async function buildToStart(step) {
  const isStored = isStoredAppCurrent();
  const compile = async () => {
    // imported late: there is no esbuild before the packages are installed
    const esbuild = await import('esbuild');
    const names = isStored ? SERVICE : [...SERVICE, ...FOR_BROWSERS];
    await Promise.all(names.map((name) => transpile(esbuild, join(root, 'packages', name))));
  };
  await buildUnless(BUILT, step, compile, isStored ? unpackApp : buildForBrowsers);
}

/**
 * Compiles all packages, with their types, when a source is newer than the last such build.
 * @param {string} step shown in front, such as `2/3`
 */
export async function buildAll(step) {
  const compile = async () => {
    const result = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b'], { quiet: true });
    if (result.code !== 0) fail('tsc -b', result);
    await buildCommonJs();
    await packClients(CLIENTS);
  };
  await buildUnless(BUILT_WITH_TYPES, step, compile, buildForBrowsers);
}

/** Builds the app and the other scripts for browsers from compiled packages. */
async function buildForBrowsers() {
  const { bundleScripts } = await import('../packages/page-scripts/bundle.mjs');
  const { bundlePlayer } = await import('../packages/player/bundle.mjs');
  await Promise.all([bundleScripts(), bundlePlayer().then(() => buildApp())]);
}

/**
 * @param {string} mark the file whose age is that of the build @param {string} step
 * @param {() => Promise<void>} compile @param {() => Promise<void>} supplyForBrowsers builds or unpacks the files for browsers
 */
async function buildUnless(mark, step, compile, supplyForBrowsers) {
  if (modified(mark) > newestSource()) return console.log(`[${step}] The build is up to date`);
  console.log(`[${step}] Building`);
  const took = stopwatch();
  const started = new Date();
  await compile();
  const { bundleService } = await import('../packages/server/bundle.mjs');
  await Promise.all([bundleService(), supplyForBrowsers()]);
  // ends esbuild's process, which would live as long as this one, and this one becomes the service
  const { stop } = await import('esbuild');
  await stop();
  for (const done of new Set([mark, BUILT])) {
    writeFileSync(done, '');
    utimesSync(done, started, started);
  }
  console.log(`[${step}] Built in ${took()}`);
}

/** @param {import('esbuild')} esbuild @param {string} folder of a package */
async function transpile({ build }, folder) {
  const { exclude } = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8'));
  const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      /\.tsx?$/.test(path) &&
      !/\.(test|d)\.tsx?$/.test(path) &&
      !(path.startsWith('testing/') && exclude.includes('src/testing')),
  );
  const entryPoints = sources.map((path) => join(folder, 'src', path));
  const tsconfig = join(folder, 'tsconfig.json');
  const out = { outbase: join(folder, 'src'), outdir: join(folder, 'dist') };
  await build({ entryPoints, ...out, tsconfig, format: 'esm', sourcemap: true, sourcesContent: false, logLevel: 'error' });
}

/** @returns {number} the latest change of the build's inputs, epoch milliseconds */
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
