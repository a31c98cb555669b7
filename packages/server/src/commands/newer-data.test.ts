import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventMaker, startService } from '@tidemark/testkit';
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { joinPostgres } from '../adapters/postgres/index.js';
import { createScheduler } from '../adapters/system/index.js';
import { loadConfig } from '../config.js';
import { runCommand } from '../testing/run-command.js';

const NEWER =
  /^The database was made by a newer Tidemark \(schema 9999, this one knows \d+\): start that version or a later one\.$/m;

test('a data directory of a newer version is refused in a sentence by every command, and stays as it is', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-newer-'));
  const service = await startService();
  try {
    const batch = Array.from({ length: 20 }, eventMaker(Math.floor(Math.random() * 1e9)));
    expect((await service.post('/batch/', { api_key: service.account.projectKey, batch })).status).toBe(200);
    const env = { TIDEMARK_DATA: service.dataDir };
    // a migration that this version does not have
    const { db, close } = await joinPostgres(loadConfig(env), pino({ level: 'silent' }), createScheduler());
    await sql`insert into schema_migrations (version, name) values (9999, '9999_of_tomorrow.sql')`.execute(db);
    await close();
    await service.stop();

    await expect(service.restart()).rejects.toThrow(NEWER);
    const settings = join(home, 'to.env');
    await writeFile(settings, `TIDEMARK_DATA=${join(home, 'to')}\n`);
    for (const args of [
      ['backup', join(home, 'backup')],
      ['backup', join(home, 'backup'), '--migrate'],
      ['move', settings],
    ]) {
      expect(await runCommand(args, env)).toEqual({ code: 1, output: '', errors: expect.stringMatching(NEWER) });
    }
    expect(await readdir(home)).toEqual(['to.env']);
  } finally {
    await service.close();
    await rm(home, { recursive: true, force: true });
  }
});

test('where nothing is, nothing is moved or backed up', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-nothing-'));
  try {
    const settings = join(home, 'to.env');
    await writeFile(settings, `TIDEMARK_DATA=${join(home, 'to')}\n`);
    const errors = `There is no data of Tidemark in ${join(home, 'data')}: set TIDEMARK_DATA or DATABASE_URL as for the service.\n`;
    for (const args of [
      ['backup', join(home, 'backup')],
      ['move', settings],
    ]) {
      expect(await runCommand(args, { TIDEMARK_DATA: join(home, 'data') })).toEqual({ code: 1, output: '', errors });
    }
    expect(await readdir(home)).toEqual(['to.env']);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
