// `npm test`: installs what the tests need, runs them all, and ends with one line that counts them. With `--keep-times` it stores how long
// each file took, by which later runs order them.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { checkNode } from './node-version.mjs';

const KEEP_TIMES = '--keep-times';

checkNode();
const { buildAll } = await import('./compile.mjs');
const { install } = await import('./install.mjs');
const { root, run, stopwatch } = await import('./run.mjs');

await install('1/4');
await buildAll('2/4');
const { findBrowser, findWholeBrowser, HEADLESS, WHOLE } = await import('../packages/testkit/dist/browser.js');
const { findFirefox, FIREFOX } = await import('../packages/testkit/dist/firefox.js');
const { findPgBouncer, PGBOUNCER } = await import('../packages/testkit/dist/pgbouncer.js');
await ensureChromium('3/4');
await ensureFirefox('3/4');
await ensurePgBouncer('3/4');
console.log('[4/4] Running the tests');
process.exit(await vitest(process.argv.slice(2)));

/**
 * Installs the browsers that the tests drive, where that can be done: Chromium without windows, and a whole Chromium, which alone has the
 * back/forward cache.
 * @param {string} step
 */
async function ensureChromium(step) {
  const missing = [HEADLESS, WHOLE].filter((path) => !existsSync(path));
  const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (!process.env.TIDEMARK_CHROMIUM && missing.length && canInstall) {
    const packages = missing.map((path) => basename(path));
    console.log(`[${step}] Installing ${packages.join(' and ')} by apt-get (about a minute)`);
    const took = stopwatch();
    const output = await installPackages(packages);
    const installed = missing.every((path) => existsSync(path));
    console.log(installed ? `[${step}] Installed in ${took()}` : `${output}\n[${step}] It could not be installed`);
  }
  const found = findBrowser();
  const whole = findWholeBrowser();
  if (!found || !whole) {
    console.error('The browser tests need Chromium, and there is none. Install it, or name its binary in TIDEMARK_CHROMIUM.');
    process.exit(1);
  }
  console.log(`[${step}] Chromium is ${found}, and ${whole} for tests of the back/forward cache`);
}

/**
 * Installs Firefox where that can be done; without it, its tests are skipped.
 * @param {string} step
 */
async function ensureFirefox(step) {
  if (!findFirefox() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log(`[${step}] Installing ${basename(FIREFOX)} by apt-get (about a minute)`);
    const took = stopwatch();
    const output = await installPackages([basename(FIREFOX)]);
    console.log(findFirefox() ? `[${step}] Installed in ${took()}` : `${output}\n[${step}] It could not be installed`);
  }
  const found = findFirefox();
  console.log(
    found
      ? `[${step}] Firefox is ${found}`
      : `[${step}] THERE IS NO FIREFOX, so its tests are skipped: install firefox-esr, or name its binary in TIDEMARK_FIREFOX`,
  );
}

/**
 * Installs PgBouncer where that can be done; without it, its tests are skipped.
 * @param {string} step
 */
async function ensurePgBouncer(step) {
  if (!findPgBouncer() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log(`[${step}] Installing ${basename(PGBOUNCER)} by apt-get`);
    const took = stopwatch();
    const output = await installPackages([basename(PGBOUNCER)]);
    console.log(findPgBouncer() ? `[${step}] Installed in ${took()}` : `${output}\n[${step}] It could not be installed`);
  }
  const found = findPgBouncer();
  console.log(
    found ? `[${step}] PgBouncer is ${found}` : `[${step}] THERE IS NO PGBOUNCER, so its tests are skipped: install pgbouncer`,
  );
}

/** @param {string[]} packages @returns {Promise<string>} what was printed */
async function installPackages(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  // another process may be installing packages
  const install = ['install', '-y', '-q', '--no-install-recommends', '--no-remove', '-o', 'DPkg::Lock::Timeout=300', ...packages];
  const update = await run('apt-get', ['update', '-q'], { quiet: true, env });
  return update.output + (await run('apt-get', install, { quiet: true, env })).output;
}

/** @param {string[]} given passed on, such as a path @returns {Promise<number>} the exit code */
async function vitest(given) {
  const args = given.filter((one) => one !== KEEP_TIMES);
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-test-'));
  const report = join(folder, 'report.json');
  const secondTries = join(root, 'scripts/second-try-reporter.mjs');
  const reporters = ['--reporter=default', `--reporter=${secondTries}`, '--reporter=json', `--outputFile.json=${report}`];
  if (given.includes(KEEP_TIMES)) reporters.push(`--reporter=${join(root, 'scripts/test-times-reporter.mjs')}`);
  const bin = join(root, 'node_modules/vitest/vitest.mjs');
  const { code } = await run(process.execPath, [bin, 'run', ...reporters, ...args]);
  const counts = count(report);
  rmSync(folder, { recursive: true });
  console.log(`\n${counts.passed} passed, ${counts.failed} failed${counts.skipped ? `, ${counts.skipped} skipped` : ''}`);
  return code !== 0 || counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

/** @param {string} report path of vitest's JSON report; one that was never written counts as one failure */
function count(report) {
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const result = JSON.parse(readFileSync(report, 'utf8'));
  // a file that could not even be loaded has no test of its own to fail
  const unloaded = result.testResults.filter(
    (/** @type {{ status: string, assertionResults: { status: string }[] }} */ file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + unloaded,
    skipped: result.numPendingTests + result.numTodoTests,
  };
}
