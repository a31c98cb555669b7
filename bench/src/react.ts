// npm run bench -- react: the cost of reading a flag in each of 1,000 rows on mount, relative to the same list without flags.
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
await page.waitForFunction('window.mount');
// hidden content is neither laid out nor painted, so only the library's own work counts
await page.evaluate('document.body.hidden = true');
const devtools = await page.context().newCDPSession(page);
await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
const costs: Record<'plain' | 'shared' | 'own', number[]> = { plain: [], shared: [], own: [] };
// alternates, so that other load on the machine affects all alike
for (let round = 0; round < ROUNDS; round++) {
  for (const [kind, times] of Object.entries(costs)) {
    const before = await spent();
    await page.evaluate(`mount('${kind}')`);
    times.push((await spent()) - before);
    await page.evaluate('unmount()');
  }
}
await browser.close();
server.close();
await rm(folder, { recursive: true });

const [plain, shared, own] = [costs.plain, costs.shared, costs.own].map(typical);
finish(
  report(`Mounting 1,000 rows in ${browser.version()}`, [
    { name: 'without flags', value: plain ?? Number.NaN, unit: 'ms' },
    { name: 'each reads one of 20 flags', value: (shared ?? Number.NaN) / (plain ?? 0), unit: 'times as long', below: 1.2 },
    { name: 'each reads a flag of its own', value: (own ?? Number.NaN) / (plain ?? 0), unit: 'times as long', below: 1.2 },
  ]),
);

/** CPU time of the page's thread so far, milliseconds; waiting for other processes does not count. */
async function spent(): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
}

/** The median of the rounds that run compiled code. */
function typical(rounds: number[]): number {
  const compiled = rounds.slice(ROUNDS / 3).sort((a, b) => a - b);
  return compiled[compiled.length >> 1] ?? Number.NaN;
}
