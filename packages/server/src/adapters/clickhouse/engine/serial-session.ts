import type { Session } from 'chdb';

/** A session for long statements that change tables. It is opened when it is first used, and calls wait for each other. */
export interface SerialSession {
  run(statements: readonly string[]): Promise<undefined>;
  close(): void;
}

/** @param preparing statements that a new session runs first */
export function serialSession(open: () => Session, preparing: readonly string[]): SerialSession {
  let session: Session | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let isBusy = false;

  async function run(statements: readonly string[]): Promise<undefined> {
    isBusy = true;
    try {
      if (!session) {
        session = open();
        for (const statement of preparing) await session.queryAsync(statement);
      }
      for (const statement of statements) await session.queryAsync(statement);
      return undefined;
    } catch (error) {
      // the partial output of a failed statement would precede the output of the session's next one
      session?.close();
      session = null;
      throw error;
    } finally {
      isBusy = false;
    }
  }

  return {
    run: (statements) => {
      const mine = last.then(() => run(statements));
      last = mine.catch(() => {});
      return mine;
    },
    close: () => {
      // a statement that runs ends with the process
      if (!isBusy) session?.close();
      session = null;
    },
  };
}
