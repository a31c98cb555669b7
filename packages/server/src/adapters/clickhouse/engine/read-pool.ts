import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from 'chdb';
import type { Settings } from './protocol.js';

/** Milliseconds between two orders to end a read: the first may come before the engine has started it. */
const KILL_AGAIN = 20;

export interface ReadPool {
  /** Runs one statement and answers its bytes; `id` names it for {@link ReadPool.kill}. */
  read(id: number, sql: string, params: Record<string, string>, settings: Settings): Promise<Buffer>;
  /** Ends a read; resolves when its session is free again. */
  kill(id: number): Promise<undefined>;
  /** Resolves when nothing runs; what waits in line is refused. */
  drain(): Promise<void>;
}

interface Read {
  killed: boolean;
  done: Promise<Buffer>;
}

/**
 * Shares sessions among reads, first come first served. Each statement has a session to itself while it runs.
 * @param renew a new session in the place of one
 */
export function readPool(sessions: Session[], control: Session, renew: (used: Session) => Promise<Session>): ReadPool {
  const idle = [...sessions];
  const waiting: ((session: Session) => void)[] = [];
  const reads = new Map<number, Read>();
  let draining = false;

  async function run(read: { killed: boolean }, statements: string[]): Promise<Buffer> {
    let session = idle.pop() ?? (await new Promise<Session>((resolve) => waiting.push(resolve)));
    try {
      let result: Uint8Array = new Uint8Array(0);
      for (const statement of statements) {
        if (read.killed || draining) throw new Error('Code: 394. DB::Exception: Query was cancelled.');
        result = (await session.queryAsync(statement)).bytes();
      }
      return Buffer.from(result.buffer, result.byteOffset, result.byteLength);
    } catch (error) {
      // what a failed statement had written by then would stand before the next one's answer
      session = await renew(session).catch(die);
      throw error;
    } finally {
      const next = waiting.shift();
      if (next) next(session);
      else idle.push(session);
    }
  }

  return {
    read: (id, sql, params, settings) => {
      const entry: Read = { killed: false, done: Promise.resolve(Buffer.alloc(0)) };
      const select = `${sql}\nFORMAT JSONCompact\nSETTINGS ${clause({ ...settings, log_comment: `read ${id}` })}`;
      entry.done = run(entry, [...bind(params), select]).finally(() => reads.delete(id));
      reads.set(id, entry);
      return entry.done;
    },
    kill: async (id) => {
      const read = reads.get(id);
      if (!read) return undefined;
      read.killed = true;
      while (reads.has(id)) {
        await control.queryAsync(`KILL QUERY WHERE Settings['log_comment'] = 'read ${id}' ASYNC`);
        await Promise.race([read.done.catch(() => {}), sleep(KILL_AGAIN)]);
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

/** An engine that cannot even open a session is worth less than a new one, which the service starts. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The engine cannot open a session.');
}
