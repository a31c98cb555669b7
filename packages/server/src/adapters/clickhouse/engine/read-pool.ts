import type { Session } from 'chdb';
import { deadline, type Scheduler, withinTime } from '../../../kernel/scheduler.js';
import { WORKLOADS } from '../../../ports/events.js';
import { settingsClause } from '../sql-literals.js';
import type { NumberedRequest } from './protocol.js';

/** Milliseconds between two attempts to kill a read: the first may precede its start in the engine. */
const KILL_AGAIN = 20;

/**
 * Milliseconds after the time limit of a read at which the engine is killed. The engine checks the limit and kill requests only between
 * blocks of rows: an expression that takes minutes for one row would occupy its session as long.
 */
const OVERDUE = 10_000;

/** Sessions that are reserved for the service itself: captures and health checks must not wait for queries of projects. */
const RESERVED = 1;
/** Sessions that one tenant may use at a time, so that others can query too. */
const MAX_PER_TENANT = 3;
/** Sessions that reads which are not interactive may use at a time. */
const MAX_DEFERRED = 2;

/** A read statement. `id` identifies it for {@link ReadPool.kill}. */
export type ReadRequest = Extract<NumberedRequest, { op: 'read' }>;

export interface ReadPool {
  /** Runs one statement. Resolves with its result, JSON as bytes. */
  read(request: ReadRequest): Promise<Buffer>;
  /** Cancels a running or queued read. Resolves when its session is free again. */
  kill(id: number): Promise<undefined>;
  /** Rejects queued reads. Resolves when no read runs. */
  drain(): Promise<void>;
}

interface Read {
  killed: boolean;
  done: Promise<Buffer>;
}

/** A read that waits for a session. */
interface QueuedRead {
  request: ReadRequest;
  go(session: Session): void;
  refuse(error: Error): void;
}

const cancelled = () => new Error('Code: 394. DB::Exception: Query was cancelled.');

/**
 * Shares sessions among reads: the most urgent workload first, in it first come first served within the limit of each tenant. A statement
 * has a session to itself while it runs.
 * @param renew replaces a session by a new one
 */
export function readPool(
  sessions: Session[],
  control: Session,
  scheduler: Scheduler,
  renew: (used: Session) => Promise<Session>,
): ReadPool {
  const idle = [...sessions];
  const queue: QueuedRead[] = [];
  const reads = new Map<number, Read>();
  /** Reads that have a session. */
  const running = new Set<ReadRequest>();
  let draining = false;

  const howMany = (matches: (request: ReadRequest) => boolean): number => [...running].filter(matches).length;

  const isDeferred = ({ workload }: ReadRequest): boolean => workload !== 'interactive';

  const canStart = ({ request }: QueuedRead): boolean =>
    request.tenant === null ||
    (idle.length > RESERVED &&
      howMany((other) => other.tenant === request.tenant) < MAX_PER_TENANT &&
      !(isDeferred(request) && howMany(isDeferred) >= MAX_DEFERRED));

  /** Removes and returns the most urgent read that can start. */
  function dequeueNext(): QueuedRead | undefined {
    for (const workload of WORKLOADS) {
      const next = dequeue((one) => one.request.workload === workload && canStart(one));
      if (next) return next;
    }
    return undefined;
  }

  /** Starts queued reads while there are sessions for them. */
  function startNext(): void {
    while (idle.length > 0) {
      const next = dequeueNext();
      const session = next && idle.pop();
      if (!session) return;
      running.add(next.request);
      next.go(session);
    }
  }

  /** Removes and returns the first queued read that matches. */
  function dequeue(matches: (one: QueuedRead) => boolean): QueuedRead | undefined {
    const at = queue.findIndex(matches);
    return at < 0 ? undefined : queue.splice(at, 1)[0];
  }

  async function run(read: { killed: boolean }, request: ReadRequest, statements: string[]): Promise<Buffer> {
    let session = await new Promise<Session>((go, refuse) => {
      queue.push({ request, go, refuse });
      startNext();
    });
    const cancelDeadline = deadline(scheduler, Number(request.settings['max_execution_time']) * 1_000 + OVERDUE, die);
    try {
      let result: Uint8Array = new Uint8Array(0);
      for (const statement of statements) {
        if (read.killed || draining) throw cancelled();
        result = (await session.queryAsync(statement)).bytes();
      }
      return Buffer.from(result.buffer, result.byteOffset, result.byteLength);
    } catch (error) {
      cancelDeadline();
      // the partial output of a failed statement would precede the output of the session's next one
      session = await renew(session).catch(die);
      throw error;
    } finally {
      cancelDeadline();
      running.delete(request);
      idle.push(session);
      startNext();
    }
  }

  return {
    read: (request) => {
      const { id, sql, params, settings } = request;
      const entry: Read = { killed: false, done: Promise.resolve(Buffer.alloc(0)) };
      const select = `${sql}\nFORMAT JSONCompact\nSETTINGS ${settingsClause({ ...settings, log_comment: `read ${id}` })}`;
      reads.set(id, entry);
      entry.done = run(entry, request, [...bind(params), select]).finally(() => reads.delete(id));
      return entry.done;
    },
    kill: async (id) => {
      const read = reads.get(id);
      if (!read) return undefined;
      read.killed = true;
      const waiting = dequeue(({ request }) => request.id === id);
      waiting?.refuse(cancelled());
      while (!waiting && reads.has(id)) {
        await control.queryAsync(`KILL QUERY WHERE Settings['log_comment'] = 'read ${id}' ASYNC`);
        await withinTime(
          scheduler,
          KILL_AGAIN,
          read.done.then(
            () => {},
            () => {},
          ),
          () => {},
        );
      }
      return undefined;
    },
    drain: async () => {
      draining = true;
      await Promise.allSettled([...reads.values()].map((read) => read.done));
    },
  };
}

/**
 * Binds parameters in the session. The engine's own way to pass them with a statement works for one read at a time in the whole
 * process.
 */
export function bind(params: Record<string, string>): string[] {
  const names = Object.keys(params);
  return names.length
    ? [`SET ${settingsClause(Object.fromEntries(names.map((name) => [`param_${name}`, params[name] ?? ''])))}`]
    : [];
}

/** Kills this process if it cannot open a session or end a read. The service then starts a new engine. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The engine is given up.');
}
