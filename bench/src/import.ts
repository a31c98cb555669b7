// npm run bench -- import [--events N] [--no-gate]: events a second that `tidemark import events` brings from Parquet into a service on this machine,
// and how long requests of capture wait meanwhile.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuOf, processTree, type Service, startService, webEventMaker } from '@tidemark/testkit';
import { parquetWriteFile } from 'hyparquet-writer';
import { liveLoad } from './live/load.js';
import { finish, report } from './report.js';

const MAIN = fileURLToPath(new URL('../../packages/server/dist/bundle/tidemark.js', import.meta.url));
const FILE_EVENTS = 250_000;
/** Seconds before latencies are measured. */
const WARM_SECONDS = 3;

const at = process.argv.indexOf('--events');
const events = at > 0 ? Number(process.argv[at + 1]) : 1_000_000;
const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-import-'));
const service = await startService();
let met = false;
try {
  console.log(`Writing ${events.toLocaleString('en')} events as Parquet`);
  const bytes = await writeFiles('first', 2025);
  await writeFiles('second', 2024);
  const before = await processorSeconds();
  const { seconds, processor } = await runImport('first', 'first.json');
  const after = await processorSeconds();
  const stored = await countEvents(service);
  if (stored !== events) throw new Error(`${events} events were imported and ${stored} are stored.`);
  const { seconds: again } = await runImport('first', 'again.json');
  if ((await countEvents(service)) !== events) throw new Error('Events are stored twice.');
  await liveLoad(service, WARM_SECONDS);
  const alone = await liveLoad(service, seconds);
  const [beside] = await Promise.all([liveLoad(service, seconds), runImport('second', 'second.json')]);
  met = report(`Import of ${events.toLocaleString('en')} events from Parquet, command and service on the same machine`, [
    { name: 'events stored', value: events / seconds, unit: '/s', atLeast: 50_000 },
    { name: 'processor time of the command', value: (processor / events) * 1e6, unit: 'µs an event' },
    ...Object.entries(after).map(([name, value]) => ({
      name: `processor time of ${name}`,
      value: ((value - (before[name] ?? 0)) / events) * 1e6,
      unit: 'µs an event',
    })),
    { name: 'events found again by a second run without state', value: events / again, unit: '/s' },
    { name: 'capture of 500 events/s, p99 alone', value: alone.p99, unit: 'ms' },
    { name: 'capture of 500 events/s, p99 beside an import', value: beside.p99, unit: 'ms', below: alone.p99 * 2 },
    { name: 'Parquet', value: bytes / 1024 / 1024, unit: 'MB' },
  ]);
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}
finish(met);

/** Writes the events of a busy site in a year in files of a folder. @returns their bytes */
async function writeFiles(name: string, year: number): Promise<number> {
  await mkdir(join(folder, name));
  const make = webEventMaker(year, 20_000);
  let bytes = 0;
  for (let from = 0; from < events; from += FILE_EVENTS) {
    const rows = Array.from({ length: Math.min(FILE_EVENTS, events - from) }, () => make());
    const first = Date.UTC(year, 0, 1) + from * 1_000;
    const text = (name: string, data: string[]) => ({ name, data, type: 'STRING' as const });
    const filename = join(folder, name, `${String(from).padStart(9, '0')}.parquet`);
    await parquetWriteFile({
      filename,
      columnData: [
        text(
          'uuid',
          rows.map(({ uuid }) => uuid),
        ),
        text(
          'event',
          rows.map(({ event }) => event),
        ),
        text(
          'distinct_id',
          rows.map(({ distinct_id }) => distinct_id),
        ),
        { name: 'timestamp', data: rows.map((_, index) => new Date(first + index * 1_000)), type: 'TIMESTAMP' },
        text(
          'properties',
          rows.map(({ properties }) => JSON.stringify(properties)),
        ),
      ],
    });
    bytes += (await stat(filename)).size;
  }
  return bytes;
}

/** Processor time of the service's parts since they started, seconds. */
async function processorSeconds(): Promise<Record<string, number>> {
  const { service: server, engine, all } = await service.processes();
  const of = (matches: (pid: number) => boolean) => cpuOf(all.filter(({ pid }) => matches(pid)));
  return {
    'the server': await of((pid) => pid === server),
    'the engine': await of((pid) => pid === engine),
    PostgreSQL: await of((pid) => pid !== server && pid !== engine),
  };
}

/** Imports the files of a folder as a user does. @returns the seconds it took, and those of processors that it used */
async function runImport(name: string, state: string): Promise<{ seconds: number; processor: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN, 'import', 'events', join(folder, name), '--state', join(folder, state)], {
    env: { ...process.env, TIDEMARK_HOST: service.url, TIDEMARK_PERSONAL_API_KEY: service.account.personalKey },
    stdio: 'inherit',
  });
  let processor = 0;
  const timer = setInterval(async () => {
    processor = Math.max(processor, await cpuOf(await processTree(child.pid ?? 0)));
  }, 250);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`The import ended with code ${code}.`);
  return { seconds: (performance.now() - started) / 1_000, processor };
}

/** All stored events, counted by a query. */
async function countEvents({ url, account }: Service): Promise<number> {
  const response = await fetch(`${url}/api/projects/@current/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.personalKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: { kind: 'HogQLQuery', query: 'select count() from events' } }),
  });
  const { results } = (await response.json()) as { results: number[][] };
  return Number(results[0]?.[0]);
}
