import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type Service, startService, webEventMaker } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAIN, tidemark } from './testing/backup-commands.js';

const EVENTS = 20_000;

let home: string;
let service: Service;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-import-crash-'));
  service = await startService();
});
afterAll(async () => {
  await service?.close();
  await rm(home, { recursive: true, force: true });
});

test.each(['command', 'service'] as const)(
  'kill -9 of the %s during an import of events: the same command stores the rest, and each event is there once',
  { timeout: 300_000 },
  async (killed) => {
    const made = await service.post('/api/projects/', { name: `kill -9 of the ${killed}` });
    const project = String((made.body as { id: number }).id);
    const make = webEventMaker(17, 500);
    const file = join(home, `${killed}.jsonl`);
    await writeFile(file, Array.from({ length: EVENTS }, () => `${JSON.stringify(make())}\n`).join(''));
    const state = join(home, `${killed}.json`);
    const args = ['import', 'events', file, '--state', state];
    const env = {
      TIDEMARK_HOST: service.url,
      TIDEMARK_PERSONAL_API_KEY: service.account.personalKey,
      TIDEMARK_PROJECT: project,
    };
    const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env }, stdio: 'ignore' });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const done = async () => {
      const { files } = JSON.parse(await readFile(state, 'utf8')) as { files: Record<string, { done: number }> };
      return Object.values(files)[0]?.done ?? 0;
    };
    // some chunks are stored, others on their way
    await eventually(async () => expect(await done()).toBeGreaterThan(0), { within: 120_000, every: 5 });
    if (killed === 'command') {
      child.kill('SIGKILL');
      expect(await ended).toBeNull();
      expect(await done()).toBeLessThan(EVENTS);
      expect(await tidemark(args, env)).toMatchObject({ code: 0 });
    } else {
      await service.kill9();
      expect(await done()).toBeLessThan(EVENTS);
      await service.restart();
      // the command sends again what has no answer
      expect(await ended).toBe(0);
    }
    const query = { kind: 'HogQLQuery', query: 'select count(), count(distinct uuid) from events' };
    const { body } = await service.post(`/api/projects/${project}/query/`, { query, refresh: 'force_blocking' });
    expect((body as { results: unknown[] }).results).toEqual([[EVENTS, EVENTS]]);
    // a run after a complete one has nothing to send
    const again = await tidemark(args, env);
    expect(again).toMatchObject({ code: 0, output: expect.stringMatching(/events +20,000 +0 +0 +20,000/) });
  },
);
