import type { Session } from 'chdb';
import { deadline, type Scheduler, withinTime } from '../../../kernel/scheduler.js';
import type { NumberedRequest, Settings } from './protocol.js';

/** Milliseconds between two orders to end a read: the first may come before the engine has started it. */
const KILL_AGAIN = 20;

/**
 * Milliseconds after the time limit of a read at which its engine is given up. The engine looks at the limit, and at orders to end a read,
 * between blocks of rows only: an expression that takes minutes for one row would hold its session as long.
 */
const OVERDUE = 10_000;

/** Sessions that questions of projects leave to the service itself: a capture or a look at its health must not wait for them. */
const KEPT_FREE = 1;
/** Sessions that the questions of one project may have at a time, so that another one's are answered too. */
const OF_ONE_PROJECT = 3;

/** A statement to be read. `id` names it for {@link ReadPool.kill}. */
export type ReadRequest = Extract<NumberedRequest, { op: 'read' }>;

export interface ReadPool {
  /** Runs one statement and answers its bytes. */
  read(request: ReadRequest): Promise<Buffer>;
  /** Ends a read, whether it runs or waits; resolves when its session is free again. */
  kill(id: number): Promise<undefined>;
  /** Resolves when nothing runs; what waits in line is refused. */
  drain(): Promise<void>;
}

interface Read {
  killed: boolean;
  done: Promise<Buffer>;
}

/** A read that waits for a session. */
interface Waiting {
  request: ReadRequest;
  go(session: Session): void;
  refuse(error: Error): void;
}

const cancelled = () => new Error('Code: 394. DB::Exception: Query was cancelled.');

/**
 * Shares sessions among reads, first come first served, within what one project may have. Each statement has a session to
 * itself while it runs.
 * @param renew a new session in the place of one
 */
export function readPool(
  sessions: Session[],
  control: Session,
  scheduler: Scheduler,
  renew: (used: Session) => Promise<Session>,
): ReadPool {
  const idle = [...sessions];
  const line: Waiting[] = [];
  const reads = new Map<number, Read>();
  /** Those that have a session. */
  const running = new Set<ReadRequest>();
  let draining = false;

  const mayGo = ({ request: { tenant } }: Waiting): boolean =>
    tenant === null ||
    (idle.length > KEPT_FREE && [...running].filter((other) => other.tenant === tenant).length < OF_ONE_PROJECT);

  /** Lets those go on for whom there is a session now. */
  function serve(): void {
    while (idle.length > 0) {
      const next = takeFromLine(mayGo);
      const session = next && idle.pop();
      if (!session) return;
      running.add(next.request);
      next.go(session);
    }
  }

  /** The first of whom it holds, who then waits no more. */
  function takeFromLine(holds: (one: Waiting) => boolean): Waiting | undefined {
    const at = line.findIndex(holds);
    return at < 0 ? undefined : line.splice(at, 1)[0];
  }

  async function run(read: { killed: boolean }, request: ReadRequest, statements: string[]): Promise<Buffer> {
    let session = await new Promise<Session>((go, refuse) => {
      line.push({ request, go, refuse });
      serve();
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
      // what a failed statement had written by then would stand before the next one's answer
      session = await renew(session).catch(die);
      throw error;
    } finally {
      cancelDeadline();
      running.delete(request);
      idle.push(session);
      serve();
    }
  }

  return {
    read: (request) => {
      const { id, sql, params, settings } = request;
      const entry: Read = { killed: false, done: Promise.resolve(Buffer.alloc(0)) };
      const select = `${sql}\nFORMAT JSONCompact\nSETTINGS ${clause({ ...settings, log_comment: `read ${id}` })}`;
      reads.set(id, entry);
      entry.done = run(entry, request, [...bind(params), select]).finally(() => reads.delete(id));
      return entry.done;
    },
    kill: async (id) => {
      const read = reads.get(id);
      if (!read) return undefined;
      read.killed = true;
      const waiting = takeFromLine(({ request }) => request.id === id);
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
 * Binds values in the session: the engine's own way to pass them with the statement works for one read at a time in the
 * whole process.
 */
function bind(params: Record<string, string>): string[] {
  const names = Object.keys(params);
  return names.length ? [`SET ${clause(Object.fromEntries(names.map((name) => [`param_${name}`, params[name] ?? ''])))}`] : [];
}

function clause(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : quote(value)}`)
    .join(', ');
}

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** An engine that cannot open a session, or does not end a read, is worth less than a new one, which the service starts. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The engine is given up.');
}
