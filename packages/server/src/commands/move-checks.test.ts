import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Service, startService } from '@tidemark/testkit';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../config.js';
import { openMetadata } from '../open-metadata.js';
import { runCommand } from '../testing/run-command.js';

/*
 * What a move compares: between two data directories, of which the second one is half filled and then damaged.
 */

let home: string;
let service: Service;
let from: Record<string, string>;
let to: Record<string, string>;
let settings: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-move-checks-'));
  service = await startService();
  from = { TIDEMARK_DATA: service.dataDir };
  to = { TIDEMARK_DATA: join(home, 'to') };
  settings = join(home, 'to.env');
  await writeFile(settings, `TIDEMARK_DATA=${to['TIDEMARK_DATA']}\n`);
});
afterAll(async () => {
  await service?.close();
  await rm(home, { recursive: true, force: true });
});

/** Paths of all files of a data directory, of those that users have stored. */
async function filesIn({ TIDEMARK_DATA = '' }: Record<string, string>): Promise<string[]> {
  const folder = join(TIDEMARK_DATA, 'blobs');
  const files: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if (!name.startsWith('.') && (await stat(path)).isFile()) files.push(path);
  }
  return files.sort();
}

/** Runs a statement in the PostgreSQL of a data directory whose service is stopped. */
async function alter(env: Record<string, string>, statement: string): Promise<void> {
  const { db, close } = await openMetadata(loadConfig(env), pino({ level: 'silent' }));
  await sql.raw(statement).execute(db);
  await close();
}

test('a changed byte of a file and a changed row are found, and the next run repairs them', async () => {
  const project = '/api/projects/@current';
  await service.call('PATCH', `${project}/`, { body: { session_recording_opt_in: true } });
  const snapshot = { type: 4, timestamp: Date.now(), data: { href: 'https://shop.example/' } };
  for (const session of ['one', 'two', 'three']) {
    const properties = { $snapshot_data: [snapshot], $session_id: session, $window_id: 'w', distinct_id: 'ada' };
    const event = { event: '$snapshot', properties: { ...properties, token: service.account.projectKey } };
    expect((await service.post('/s/', [event])).status).toBe(200);
  }
  expect((await service.post(`${project}/dashboards/`, { name: 'Moved' })).status).toBe(201);
  const folder = join(home, 'backup');
  expect(await runCommand(['backup', folder], from)).toMatchObject({ code: 0, errors: '' });
  await service.stop();
  expect(await runCommand(['restore', folder, '--for-move'], to)).toMatchObject({ code: 0, errors: '' });

  const onward = join(home, 'onward.env');
  await writeFile(onward, `TIDEMARK_DATA=${join(home, 'onward')}\n`);
  /** What is half filled is not copied as if it were whole; the sentence names the command that goes on. */
  const requireHalf = async (command: string) => {
    const errors = `The data of ${to['TIDEMARK_DATA']} is half filled by "${command}": run that again until it is done.\n`;
    expect(await runCommand(['backup', join(home, 'half-backup')], to)).toEqual({ code: 1, output: '', errors });
    expect(await runCommand(['move', onward], to)).toEqual({ code: 1, output: '', errors });
  };
  // a restore that is run again would bring back the events and the PostgreSQL of the backup
  await requireHalf('tidemark move');

  const sent = await filesIn(from);
  const received = await filesIn(to);
  expect(received.length).toBeGreaterThan(2);
  expect(received).toHaveLength(sent.length);
  // one byte of another value: the size stays
  const [path = ''] = received;
  const bytes = await readFile(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(path, bytes);
  // and a table that rounds what it is given
  await alter(to, 'alter table dashboards alter column created_at type timestamptz(0)');
  const refused = await runCommand(['move', settings], from);
  expect(refused).toMatchObject({
    code: 1,
    errors: expect.stringMatching(
      /^The copy of the table dashboards differs: \d+ rows with the checksum \w+ instead of \d+ with \w+\.\n$/,
    ),
  });
  const contents = (paths: string[]) => Promise.all(paths.map((one) => readFile(one)));
  expect(await contents(received)).toEqual(await contents(sent));
  // PostgreSQL is as it was: the service does not start on it, and the next run fills it
  const half = startService({ dataDir: to['TIDEMARK_DATA'] ?? '', account: service.account });
  await expect(half).rejects.toThrow('run that again until it is done');
  await requireHalf(`tidemark move ${settings}`);

  await alter(to, 'alter table dashboards alter column created_at type timestamptz(3)');
  expect(await runCommand(['move', settings], from)).toMatchObject({ code: 0, errors: '' });
  const moved = await startService({ dataDir: to['TIDEMARK_DATA'] ?? '', account: service.account });
  try {
    const { body } = await moved.get(`${project}/dashboards/`);
    expect((body as { results: { name: string }[] }).results.map(({ name }) => name)).toContain('Moved');
    for (const session of ['one', 'two', 'three']) {
      expect((await moved.get(`${project}/session_recordings/${session}/snapshots/`)).status).toBe(200);
    }
  } finally {
    await moved.close();
  }
});
