// npm run bench -- replay-client: how long recording blocks a page in one task, against the plain rrweb recorder.
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { launchBrowser } from '@tidemark/testkit';
import { type Figure, finish, report } from './report.js';

const ROUNDS = 3;
/** Nodes of a row of the page: elements and their texts. */
const ROW = 10;
const SIZES = [5_000, 20_000];
const OURS = `tidemark.init('tmk_bench', { api_host: location.origin, opt_out_useragent_filter: true })`;
const WAYS = {
  'no recording': `${OURS.replace(' }', ', session_recording: false }')}; globalThis.done = () => true`,
  tidemark: `${OURS}; globalThis.done = () => tidemark.isSessionReplayActive()`,
  'rrweb alone': `rrwebRecord.record({ emit() {}, slimDOMOptions: { script: true, comment: true } }); globalThis.done = () => true`,
};

const folder = new URL('../../packages/server/dist/static/', import.meta.url);
const files = new Map<string, Buffer | string>();
for (const name of await readdir(folder)) files.set(`/${name}`, await readFile(new URL(name, folder)));
const { resolve } = createRequire(new URL('../../packages/browser/package.json', import.meta.url));
files.set('/rrweb.js', await readFile(join(dirname(resolve('@rrweb/record')), 'record.umd.min.cjs')));

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://bench');
  const file = files.get(pathname);
  const rows = Number(pathname.slice(1)) / ROW;
  if (file) response.setHeader('content-type', 'text/javascript').end(file);
  else if (rows > 0) response.setHeader('content-type', 'text/html; charset=utf-8').end(pageOf(rows));
  else {
    const answer = JSON.stringify({ sessionRecording: { endpoint: '/s/' }, status: 'Ok' });
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(answer));
  }
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

const browser = await launchBrowser();
const figures: Figure[] = [];
for (const size of SIZES) {
  const longest = new Map<string, number[]>();
  const spent = new Map<string, number[]>();
  // alternates, so that other load on the machine affects all alike
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, start] of Object.entries(WAYS)) {
      const tasks = await tasksOf(size, start);
      longest.set(name, [...(longest.get(name) ?? []), Math.max(...tasks)]);
      spent.set(name, [...(spent.get(name) ?? []), tasks.reduce((sum, task) => sum + task, 0)]);
    }
  }
  for (const name of longest.keys()) {
    const of = `${size.toLocaleString('en')} nodes, ${name}`;
    figures.push(
      {
        name: `${of}: longest task`,
        value: median(longest.get(name)),
        unit: 'ms',
        ...(name === 'tidemark' ? { below: 50 } : {}),
      },
      { name: `${of}: all tasks of two seconds`, value: median(spent.get(name)), unit: 'ms' },
    );
  }
}
await browser.close();
server.closeAllConnections();
server.close();
finish(report(`Recording in ${browser.version()}: processor time of the page's thread`, figures));

/** CPU time of each task of the page's thread since the start of the measurement, milliseconds. */
async function tasksOf(size: number, start: string): Promise<number[]> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/${size}`, { waitUntil: 'load' });
  await page.waitForTimeout(300);
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', 'blink.user_timing'] });
  await page.evaluate(`performance.mark('begun'); ${start}; 0`);
  await page.waitForFunction('done()');
  await page.waitForTimeout(2_000);
  const trace: { traceEvents: TraceEvent[] } = JSON.parse((await browser.stopTracing()).toString());
  await context.close();
  const begun = trace.traceEvents.find(({ name }) => name === 'begun');
  return trace.traceEvents
    .filter(({ name, tid, pid, tdur }) => /RunTask$/.test(name) && tdur && tid === begun?.tid && pid === begun.pid)
    .map(({ tdur = 0 }) => tdur / 1_000);
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** CPU time, microseconds. */
  tdur?: number;
}

/** A page of so many rows, grouped into sections. */
function pageOf(rows: number): string {
  const row = (i: number) =>
    `<li class="row card" data-id="${i}"><h3>Product ${i}</h3><p class="text">It is the ${i}th</p><a href="/p/${i}">More</a><img alt="" width="1" height="1"></li>`;
  const list = Array.from({ length: rows }, (_, i) => row(i)).join('');
  return `<!doctype html><title>Bench</title><style>.row { color: #123 }</style><main><h1>Shop</h1><ul>${list}</ul></main>
<script src="/tidemark.js"></script><script src="/rrweb.js"></script>`;
}

function median(values: number[] = []): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
