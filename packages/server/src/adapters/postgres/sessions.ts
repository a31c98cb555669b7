import { readFile } from 'node:fs/promises';
import type { Cancel, Scheduler } from '../../ports/system.js';
import { noResponse } from './pool.js';
import type { Pulse } from './pulse.js';

/** Interval of checks of the running statements; milliseconds. */
const TICK_MS = 500;
/** Time without a response after which the session of a statement is inspected; milliseconds. */
const SUSPECT_MS = 2_000;

/**
 * Watches the sessions of one server. A session may stop responding while the server as a whole is well: its process is stopped, or the
 * network has lost its connection. Statements that take long are not at fault, so a session is inspected before it is terminated.
 *
 *     waiting ──▶ 2 s ──▶ inspected ──▶ the server says that it works on the statement ──▶ waiting
 *                             │
 *                             └──▶ it does not, twice ──▶ terminated, its caller gets the error of a server that does not respond
 */
export interface SessionWatch {
  /** The response to a statement of the session with the process id `pid`. @throws Error of {@link noResponse} when the session hangs */
  watch<T>(pid: number, response: Promise<T>): Promise<T>;
  stop: Cancel;
}

interface Running {
  pid: number;
  since: number;
  /** What the last inspection found, if the session did not work. */
  suspicion: string | null;
  isInspected: boolean;
  reject(error: Error): void;
}

interface SessionRow {
  state: string | null;
  state_change: string | null;
}

/** @param isLocal whether the processes of the server belong to this service */
export function watchSessions(pulse: Pulse, scheduler: Scheduler, isLocal: boolean): SessionWatch {
  const statements = new Set<Running>();

  /** Why a session does not work on its statement; null: it works, or its state is unknown. */
  async function inspect(pid: number): Promise<string | null> {
    const [session] = await pulse.query<SessionRow>(
      // the process id may be that of a pooler
      `select state, state_change::text from pg_stat_activity
       where pid = $1 and usename = current_user and application_name like 'tidemark%'`,
      [pid],
    );
    if (!session) return null;
    if (session.state?.startsWith('idle')) return `idle since ${session.state_change}`;
    return isLocal && (await isStopped(pid)) ? 'stopped' : null;
  }

  /** Ends a session. Otherwise it would keep its locks, and its statement could succeed after the caller received an error. */
  async function terminate(pid: number): Promise<void> {
    await pulse.query('select pg_terminate_backend($1)', [pid]);
    // a stopped process handles the termination when it goes on
    if (isLocal) process.kill(pid, 'SIGCONT');
  }

  async function check(statement: Running): Promise<void> {
    statement.isInspected = true;
    try {
      const suspicion = await inspect(statement.pid);
      const isConfirmed = suspicion !== null && suspicion === statement.suspicion;
      statement.suspicion = suspicion;
      if (!isConfirmed || !statements.has(statement)) return;
      statement.reject(noResponse());
      await terminate(statement.pid);
    } catch {
      // the server as a whole does not respond, which its watchdog handles
    } finally {
      statement.isInspected = false;
    }
  }

  const stop = scheduler.every(TICK_MS, () => {
    const suspectSince = scheduler.uptime() - SUSPECT_MS;
    for (const statement of statements) {
      if (statement.since <= suspectSince && !statement.isInspected) void check(statement);
    }
  });

  return {
    watch: (pid, response) =>
      new Promise((resolve, reject) => {
        const statement: Running = { pid, since: scheduler.uptime(), suspicion: null, isInspected: false, reject };
        statements.add(statement);
        const end = () => statements.delete(statement);
        response.then(end, end);
        response.then(resolve, reject);
      }),
    stop,
  };
}

/** Whether a process of this machine is stopped (SIGSTOP); false where the operating system does not say. */
async function isStopped(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // the name before the last bracket may contain any character
  return /^[Tt]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** The process id of a connection's session, as the server reported it; 0: unknown. */
export function processIdOf(client: object): number {
  const pid: unknown = Reflect.get(client, 'processID');
  return typeof pid === 'number' ? pid : 0;
}
