import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Gives every test file the address of one real PostgreSQL, whose `tidemark_template` database is migrated. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide('postgresUrl', 'postgres://tidemark@127.0.0.1:5499/tidemark_template');
  return async () => {};
}
