import { mkdir, rm } from 'node:fs/promises';
import type { Session } from 'chdb';
import { COPIES } from './copy-files.js';
import type { EngineOptions } from './protocol.js';

/** The session that copies rows to and from files. It is opened when it is first used. */
export interface Copier {
  copy(sql: string): Promise<undefined>;
  close(): void;
}

/** Deletes the files of a process that was killed. */
export async function createCopier(open: () => Session, { database, memory }: EngineOptions): Promise<Copier> {
  await rm(COPIES, { recursive: true, force: true });
  await mkdir(COPIES);
  let session: Session | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let isBusy = false;

  async function run(sql: string): Promise<undefined> {
    isBusy = true;
    try {
      if (!session) {
        session = open();
        await session.queryAsync(`USE ${database}`);
        await session.queryAsync(`SET max_memory_usage = ${Math.floor(memory / 2)}`);
      }
      await session.queryAsync(sql);
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
    copy: (sql) => {
      const mine = last.then(() => run(sql));
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
