// npm run bench -- react: what reading a flag costs a list of 1,000 rows when it mounts, as a ratio to the same list without flags.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser } from '@tidemark/testkit';
import { finished, serveFolder, startProgram } from '../../e2e/src/example-app.js';
import { finish, report } from './report.js';

const ROUNDS = 120;

const folder = await mkdtemp(join(tmpdir(), 'tidemark-react-'));
const build = ['build', 'measure', '--config', 'vite.config.ts', '--outDir', folder, '--emptyOutDir', '--logLevel', 'error'];
await finished(startProgram('vite-react', 'vite/bin/vite.js', build, {}));
const { url, server } = await serveFolder(folder);
const browser = await launchBrowser();
const page = await browser.newPage();
await page.goto(url);
await page.waitForFunction('window.measure');
// in turns, so that what disturbs the machine disturbs all
const costs = await page.evaluate<Record<'plain' | 'shared' | 'own', number[]>>(`(() => {
  const costs = { plain: [], shared: [], own: [] };
  for (let round = 0; round < ${ROUNDS}; round++) for (const kind in costs) costs[kind].push(measure(kind));
  return costs;
})()`);
await browser.close();
server.close();
await rm(folder, { recursive: true });

const [plain, shared, own] = [costs.plain, costs.shared, costs.own].map(best);
finish(
  report(`Mounting 1,000 rows in ${browser.version()}`, [
    { name: 'without flags', value: plain ?? Number.NaN, unit: 'ms' },
    { name: 'each reads one of 20 flags', value: (shared ?? Number.NaN) / (plain ?? 0), unit: 'times as long', below: 1.2 },
    { name: 'each reads a flag of its own', value: (own ?? Number.NaN) / (plain ?? 0), unit: 'times as long' },
  ]),
);

/** The best of the rounds that run compiled code: other work of the machine only adds. */
function best(rounds: number[]): number {
  return Math.min(...rounds.slice(ROUNDS / 3));
}
