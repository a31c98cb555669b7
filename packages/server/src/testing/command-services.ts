import { type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll } from 'vitest';
import { type AccountsApp, startAccountsApp } from './accounts-app.js';

/** What the commands of a test work on, and the environment in which they find it. Its members exist while tests run. */
interface CommandTarget<T> {
  readonly it: T;
  readonly env: Record<string, string>;
}

/** A running service on embedded stores, for the tests of a `describe`. Call it at its top. */
export const useEmbeddedService = (): CommandTarget<Service> =>
  useTarget(
    () => startService(),
    ({ dataDir, port }) => ({ TIDEMARK_DATA: dataDir, PORT: String(port) }),
  );

/** The rooms about accounts on a PostgreSQL server, for the tests of a `describe`. Call it at its top. */
export const useAccounts = (): CommandTarget<AccountsApp> =>
  useTarget(startAccountsApp, ({ databaseUrl }) => ({ DATABASE_URL: databaseUrl }));

function useTarget<T extends { close(): Promise<void> }>(
  start: () => Promise<T>,
  envOf: (started: T) => Record<string, string>,
): CommandTarget<T> {
  let started: T | undefined;
  const running = (): T => {
    if (!started) throw new Error('It runs during tests only.');
    return started;
  };
  beforeAll(async () => {
    started = await start();
  }, 240_000);
  afterAll(() => started?.close());
  return {
    get it() {
      return running();
    },
    get env() {
      return envOf(running());
    },
  };
}
