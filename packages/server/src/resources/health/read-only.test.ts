import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
let databaseName: string;
beforeAll(async () => {
  service = await startTestService();
  databaseName = new URL(service.database.url).pathname.slice(1);
});
afterAll(() => service?.close());

/** New connections are those of a standby from now on, or of a primary; there are none but new ones when it has become a standby. */
async function become(role: 'standby' | 'primary'): Promise<void> {
  const other = service.database.asOtherServer();
  const value = sql.lit(role === 'standby' ? 'on' : 'off');
  await other.connection().execute(async (db) => {
    await sql`set default_transaction_read_only = off`.execute(db);
    await sql`alter database ${sql.id(databaseName)} set default_transaction_read_only = ${value}`.execute(db);
    if (role === 'primary') return;
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${databaseName} and pid <> pg_backend_pid()`.execute(
      db,
    );
  });
  await other.destroy();
}

const status = async (path: string) => (await service.call('GET', path, { key: null })).statusCode;
const rename = (name: string) => service.call('PATCH', `/api/projects/${service.projectId}/`, { body: { name } });

test('while PostgreSQL is read-only the service is not ready, writes are refused for now, and connections are closed', async () => {
  expect(await status('/_ready')).toBe(200);
  await become('standby');
  await expect.poll(() => status('/_ready')).toBe(503);
  expect((await service.call('GET', '/_health', { key: null })).json()).toMatchObject({
    status: 'unavailable',
    stores: { postgres: { ok: false } },
  });
  // several at a time, so that several connections have learnt it
  for (const answer of await Promise.all(['a', 'b', 'c', 'd'].map(rename))) {
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
  }
  await become('primary');
  await expect.poll(() => status('/_ready')).toBe(200);
  for (const answer of await Promise.all(['a', 'b', 'c', 'd'].map(rename))) expect(answer.statusCode).toBe(200);
});
