import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { cuttable } from '../../testing/cuttable.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { createScheduler } from '../system/index.js';
import { listenToChanges } from './listen.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('a lost connection invalidates everything, and its return does so again, because changes were missed meanwhile', async () => {
  const proxy = await cuttable(database.url);
  const changes = await listenToChanges(proxy.url, { log: pino({ level: 'silent' }), scheduler: createScheduler() });
  const notices: [project: number | null, heard: boolean][] = [];
  changes.onChange((project) => notices.push([project, changes.isListening()]));
  proxy.stall();
  await vi.waitFor(() => expect(notices).toEqual([[null, false]]), { timeout: 60_000 });
  await proxy.mend();
  await vi.waitFor(
    () =>
      expect(notices).toEqual([
        [null, false],
        [null, true],
      ]),
    { timeout: 60_000 },
  );
  await changes.close();
  await proxy.close();
}, 180_000);
