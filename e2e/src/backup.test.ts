import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventMaker, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../packages/server/dist/bundle/tidemark.js', import.meta.url));
const run = promisify(execFile);

let home: string;
let service: Service;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-backup-'));
  service = await startService();
});
afterAll(async () => {
  await service?.close();
  await rm(home, { recursive: true, force: true });
});

/** Runs a command of the built program. */
async function tidemark(args: string[], env: Record<string, string>): Promise<{ code: number; output: string; errors: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env } });
    return { code: 0, output: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout, errors: stderr };
  }
}

const make = eventMaker(Math.floor(Math.random() * 1e9));

/** Sends events and returns the uuids of those that were acknowledged. */
async function capture(count: number, { url, account }: Service = service): Promise<string[]> {
  const batch = Array.from({ length: count }, (_, i) =>
    make({ distinct_id: `person ${i % 7}`, timestamp: new Date(Date.now() - i * 3_600_000).toISOString() }),
  );
  const response = await fetch(`${url}/batch/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: account.projectKey, batch }),
  });
  return response.ok ? batch.map(({ uuid }) => uuid) : [];
}

/** Starts the service on a copy of the first one's data. */
const startCopy = (dataDir: string, env: Record<string, string> = {}) => startService({ dataDir, env, account: service.account });

test('a backup of the running service, restored elsewhere, has everything, and events go on', async () => {
  const dashboard = await service.post('/api/projects/@current/dashboards/', { name: 'Restored' });
  expect(dashboard.status).toBe(201);
  await service.post('/api/projects/@current/feature_flags/', {
    key: 'restored',
    active: true,
    filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
  });
  const before = await capture(100);
  const folder = join(home, 'first');
  const backup = await tidemark(['backup', folder], { TIDEMARK_DATA: service.dataDir });
  expect(backup).toMatchObject({ code: 0, errors: '' });
  expect(backup.output).toMatch(/has \d+ events/);
  await capture(10);

  const dataDir = join(home, 'restored');
  const restored = await tidemark(['restore', folder], { TIDEMARK_DATA: dataDir });
  expect(restored).toMatchObject({ code: 0, errors: '' });
  const copy = await startCopy(dataDir);
  try {
    const names = (await copy.get('/api/projects/@current/dashboards/')).body as { results: { name: string }[] };
    expect(names.results.map(({ name }) => name)).toContain('Restored');
    const flags = await fetch(`${copy.url}/flags/?v=2`, {
      method: 'POST',
      body: JSON.stringify({ api_key: service.account.projectKey, distinct_id: 'person 1' }),
    });
    expect(await flags.json()).toMatchObject({ flags: { restored: { enabled: true } } });
    const stored = await copy.storedUuids();
    expect(stored.filter((uuid) => before.includes(uuid)).sort()).toEqual([...before].sort());
  } finally {
    await copy.close();
  }
});
