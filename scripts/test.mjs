// `npm test`: installs what the tests need, runs them all, and ends with one line that counts them.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkNode } from './node-version.mjs';

checkNode();
const { buildAll } = await import('./compile.mjs');
const { install } = await import('./install.mjs');
const { root, run, stopwatch } = await import('./run.mjs');

await install('1/4');
await buildAll('2/4');
const chromium = await ensureChromium('3/4');
console.log('[4/4] Running the tests');
process.exit(await vitest(process.argv.slice(2)));

/** @param {string} step @returns {Promise<string>} the browser's path */
async function ensureChromium(step) {
  const found = findChromium();
  if (found) {
    console.log(`[${step}] Chromium is ${found}`);
    return found;
  }
  const hint = 'Install Chromium, or name a Chromium or Chrome binary in TIDEMARK_CHROMIUM.';
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.error(`The browser tests need Chromium, and there is none. ${hint}`);
    process.exit(1);
  }
  console.log(`[${step}] Installing Chromium by apt-get (about a minute)`);
  const took = stopwatch();
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { quiet: true, env });
  const result = await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], { quiet: true, env });
  const installed = findChromium();
  if (!installed) {
    console.error(`${result.output}\nChromium could not be installed. ${hint}`);
    process.exit(1);
  }
  console.log(`[${step}] Chromium installed in ${took()}`);
  return installed;
}

function findChromium() {
  const named = process.env.TIDEMARK_CHROMIUM;
  return [...(named ? [named] : []), '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
    existsSync(path),
  );
}

/** @param {string[]} args passed on, such as a path @returns {Promise<number>} the exit code */
async function vitest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-test-'));
  const report = join(folder, 'report.json');
  const secondTries = join(root, 'scripts/second-try-reporter.mjs');
  const reporters = ['--reporter=default', `--reporter=${secondTries}`, '--reporter=json', `--outputFile.json=${report}`];
  const bin = join(root, 'node_modules/vitest/vitest.mjs');
  const { code } = await run(process.execPath, [bin, 'run', ...reporters, ...args], { env: { TIDEMARK_CHROMIUM: chromium } });
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
