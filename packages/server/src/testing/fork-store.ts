import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EventsUnavailable } from '../ports/events.js';
import { HOUR, type MergingStore } from './merged-people.js';

/** A store that another process has opened. */
export interface ForkedStore extends MergingStore {
  /** Kills the process, and with it the engine, at once. */
  kill9(): Promise<void>;
}

/** Opens the store of a data directory in a process of its own. */
export async function forkStore(directory: string): Promise<ForkedStore> {
  const child = fork(fileURLToPath(new URL('merging-process.ts', import.meta.url)), [directory], {
    execArgv: ['--import', 'tsx'],
    cwd: import.meta.dirname,
    serialization: 'advanced',
  });
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let calls = 0;
  const open = answerOf(0);
  child.on('message', ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new EventsUnavailable(error));
    else call?.resolve(result);
  });
  const ended = endOf(child).then(() => {
    for (const { reject } of waiting.values()) reject(new EventsUnavailable('The process has ended.'));
    waiting.clear();
  });

  function answerOf(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  }
  const call = (name: string, ...args: unknown[]): Promise<never> => {
    const id = ++calls;
    const answer = answerOf(id);
    child.send({ id, name, args });
    return answer as Promise<never>;
  };
  await open;
  return {
    insert: (...args) => call('insert', ...args),
    query: (statement) => call('query', statement),
    uptime: () => call('uptime'),
    advance: (project, hours) => call('advance', project, hours * HOUR),
    kill9: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const endOf = (child: ChildProcess) => new Promise<void>((resolve) => child.once('exit', () => resolve()));
