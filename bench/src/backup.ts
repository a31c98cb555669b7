// npm run bench -- backup [--events 10M] [--data DIR] [--no-gate]: a backup of a running service, the next one without changes, and a restore.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { eventMaker, startService } from '@tidemark/testkit';
import { eventsIn, seededData } from './data.js';
import { finish, report } from './report.js';

const MAIN = fileURLToPath(new URL('../../packages/server/dist/bundle/tidemark.js', import.meta.url));
const { values: options } = parseArgs({
  options: { events: { type: 'string', default: '10M' }, data: { type: 'string' }, 'no-gate': { type: 'boolean' } },
});
const events = eventsIn(options.events);
/** As many as `bench -- live` has, which seeds the same data. */
const persons = Math.min(1_000_000, events / 10);
const { dataDir, remove } = await seededData({ events, persons }, options.data ?? null);
const folder = join(dataDir, '..', 'backup');
const restored = join(dataDir, '..', 'restored');
let met = false;
try {
  const service = await startService({ dataDir });
  const slowest = { ms: 0 };
  const stopLoad = load(service.url, service.account.projectKey, slowest);
  const first = await tidemark(['backup', folder], dataDir);
  const again = await tidemark(['backup', folder], dataDir);
  await stopLoad();
  await service.close();
  const back = await tidemark(['restore', folder], restored);
  met = report(`Backups of ${events.toLocaleString('en')} events of ${persons.toLocaleString('en')} persons`, [
    { name: 'first backup, while events are captured', value: first, unit: 's', below: 300 },
    { name: 'longest answer of capture during the backups', value: slowest.ms / 1000, unit: 's', below: 5 },
    { name: 'next backup, of which one day changed', value: again, unit: 's', below: 120 },
    { name: 'restore into an empty directory', value: back, unit: 's', below: 600 },
  ]);
} finally {
  for (const path of [folder, restored]) await rm(path, { recursive: true, force: true });
  await remove();
}
finish(met);

/** Runs a command. @returns seconds */
async function tidemark(args: string[], data: string): Promise<number> {
  const begun = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], {
    env: { ...process.env, TIDEMARK_DATA: data },
  });
  console.log(stdout.trim());
  return (performance.now() - begun) / 1000;
}

/** Captures events until the returned function is called; the longest answer goes into `slowest`. */
function load(url: string, key: string, slowest: { ms: number }): () => Promise<void> {
  const make = eventMaker(1);
  let isRunning = true;
  const done = (async () => {
    while (isRunning) {
      const begun = performance.now();
      const batch = Array.from({ length: 20 }, () => make());
      const answer = await fetch(`${url}/batch/`, { method: 'POST', body: JSON.stringify({ api_key: key, batch }) });
      if (!answer.ok) throw new Error(`/batch/ answers ${answer.status}`);
      await answer.arrayBuffer();
      slowest.ms = Math.max(slowest.ms, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return () => {
    isRunning = false;
    return done;
  };
}
