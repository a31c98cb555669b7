// npm run bench -- startup: from a bare clone to the first stored event, and from existing data to ready.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventMaker, eventually, startService, webEventMaker } from '@tidemark/testkit';
import { finish, report } from './report.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KEY = 'tmk_startup';

const existing = await startOnExistingData(100_000);
const clone = await startFromClone();
finish(
  report('Start', [
    { name: 'start on existing data (100,000 events), slowest of 3', value: existing, unit: 's', below: 5 },
    { name: 'npm start in a bare clone (warm npm cache) to first stored event', value: clone, unit: 's', below: 90 },
  ]),
);

/** Seconds until ready, the slowest of three starts. */
async function startOnExistingData(events: number): Promise<number> {
  const service = await startService();
  try {
    const make = webEventMaker(1);
    for (let sent = 0; sent < events; sent += 1_000) {
      const batch = Array.from({ length: 1_000 }, () => make());
      const answer = await service.post('/batch/', { api_key: service.account.projectKey, batch });
      if (answer.status !== 200) throw new Error(`/batch/ answers ${answer.status}`);
    }
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
      await service.stop();
      times.push(await service.restart());
    }
    return Math.max(...times) / 1000;
  } finally {
    await service.close();
  }
}

/** Seconds from `npm start` in a fresh clone of HEAD until an event is stored. */
async function startFromClone(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-clone-'));
  execFileSync('git', ['clone', '--quiet', ROOT, folder]);
  const port = 18_000 + Math.floor(Math.random() * 1_000);
  const env = {
    ...process.env,
    PORT: String(port),
    TIDEMARK_LOG_LEVEL: 'warn',
    TIDEMARK_INIT_EMAIL: 'owner@example.com',
    TIDEMARK_INIT_PASSWORD: 'correct horse battery staple',
    TIDEMARK_INIT_PROJECT_KEY: KEY,
  };
  const start = performance.now();
  const child = spawn('npm', ['start'], { cwd: folder, env, stdio: 'inherit' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const body = JSON.stringify({ api_key: KEY, ...eventMaker(1)() });
    await eventually(
      async () => {
        if (child.exitCode !== null) return;
        const response = await fetch(`http://127.0.0.1:${port}/capture/`, { method: 'POST', body });
        if (response.status !== 200) throw new Error(`/capture/ answers ${response.status}`);
      },
      { within: 300_000 },
    );
    if (child.exitCode !== null) throw new Error(`npm start ended with code ${child.exitCode}.`);
    return (performance.now() - start) / 1000;
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}
