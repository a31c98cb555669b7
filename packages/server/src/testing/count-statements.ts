import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { vi } from 'vitest';

const counted = new AsyncLocalStorage<{ statements: number }>();

/** How many statements `work` sends to PostgreSQL; what runs beside it, such as a look for jobs, is not counted. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const count = { statements: 0 };
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const own = counted.getStore();
    if (own) own.statements += 1;
    return query.apply(this, args);
  } as never);
  try {
    await counted.run(count, work);
    if (count.statements === 0) throw new Error('not one statement was counted');
    return count.statements;
  } finally {
    spy.mockRestore();
  }
}
