import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { PACKAGE_FOLDER } from '../../../kernel/package-folder.js';
import { EventsUnavailable } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import { type EngineOptions, type Reply, type Request, readFrames, writeFrame } from './protocol.js';

/** The compiled script of the engine process. */
export const PROCESS = fileURLToPath(new URL('dist/adapters/clickhouse/engine/engine-process.js', PACKAGE_FOLDER));

/** An error as the engine words it. */
export class EngineError extends Error {
  override name = 'EngineError';
}

/** The engine hung, or its process was killed, before it was open: starting it again may help. */
export class EngineLost extends EngineError {
  override name = 'EngineLost';
}

/** How often the progress of a starting engine is checked: opening its directory may take long, but not without work. Milliseconds. */
const CHECK_MS = 2_000;
/** Checks without progress after which a starting engine counts as hung. */
const MAX_IDLE_CHECKS = 4;
/** How long opening may take where the operating system does not report progress; milliseconds. */
const OPEN_MS = 300_000;

/** One life of the engine process. */
export interface Engine {
  readonly pid: number;
  /**
   * @throws EngineError what the engine answered
   * @throws EventsUnavailable the process ended before it answered
   */
  call(request: Request, body?: Buffer): { id: number; result: Promise<Buffer> };
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  kill(): void;
}

/** Starts the process and opens the engine in it. @throws EngineError why that did not work */
export async function startEngine(options: EngineOptions, log: Logger, scheduler: Scheduler): Promise<Engine> {
  const child = spawnChild(options.path);
  const channel = child.stdio[3];
  if (!(channel instanceof Duplex) || child.pid === undefined) throw new EventsUnavailable('The event engine cannot be started.');
  const calls = new Map<number, { resolve: (body: Buffer) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  let over = false;

  const end = () => {
    over = true;
    for (const call of calls.values()) call.reject(new EventsUnavailable('The event engine stopped.'));
    calls.clear();
  };
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  }).then(end);
  // a write to a process that has just died, which `ended` reports
  channel.on('error', () => {});
  readFrames<Reply>(channel, ({ id, error }, body) => {
    const call = calls.get(id);
    calls.delete(id);
    if (error === undefined) call?.resolve(body);
    else call?.reject(new EngineError(error));
  });
  /** Lines on stderr until the engine is open. */
  const complaints: string[] = [];
  let isOpen = false;
  if (child.stderr) {
    createInterface(child.stderr).on('line', (line) => {
      if (isOpen) log.warn({ engine: withoutStatement(line) }, 'event engine');
      else complaints.push(line);
    });
  }

  const engine: Engine = {
    pid: child.pid,
    ended,
    kill: () => child.kill('SIGKILL'),
    call: (request, body) => {
      const id = ++lastId;
      const result = new Promise<Buffer>((resolve, reject) => {
        if (over) return reject(new EventsUnavailable('The event engine stopped.'));
        calls.set(id, { resolve, reject });
        writeFrame(channel, { ...request, id }, body);
      });
      return { id, result };
    },
  };
  let hangs = false;
  const stopWatching = watchProgress(child.pid, scheduler, () => {
    hangs = true;
    engine.kill();
  });
  try {
    await engine.call({ op: 'open', ...options }).result;
    isOpen = true;
    return engine;
  } catch (error) {
    engine.kill();
    await ended;
    if (hangs) throw new EngineLost('it hung while it was opening its files');
    if (child.signalCode !== null && !(error instanceof EngineError)) throw new EngineLost(`it was ended by ${child.signalCode}`);
    throw new EngineError(complaints.at(-1) ?? (error instanceof Error ? error.message : 'it ended at once'));
  } finally {
    stopWatching();
  }
}

/** Calls `onHung` when the process has done nothing for some checks. @returns stops watching */
function watchProgress(pid: number, scheduler: Scheduler, onHung: () => void): () => void {
  let last: string | null = '';
  let idle = 0;
  let waited = 0;
  return scheduler.every(CHECK_MS, async () => {
    const progress = await progressOf(pid);
    waited += CHECK_MS;
    idle = progress === last ? idle + 1 : 0;
    last = progress;
    if (progress === null ? waited === OPEN_MS : idle === MAX_IDLE_CHECKS) onHung();
  });
}

function spawnChild(directory: string): ChildProcess {
  return spawn(process.execPath, [PROCESS, String(process.pid)], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // not the service's environment: no settings with passwords, no NODE_OPTIONS that open a debugging port
    env: { TZ: 'UTC', UV_THREADPOOL_SIZE: '12' },
  });
}

/** A line without the statement that it quotes, which may contain captured data. */
const withoutStatement = (line: string) => line.replace(/\(query: .*/s, '').slice(0, 500);

/**
 * What a process has used so far: processor time, and bytes that it read and wrote. A text that changes while the process works; null
 * where the operating system does not tell.
 */
async function progressOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // the name before the last bracket may hold any character; fields 14 and 15 are user and system time
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return `${user} ${system} ${await readFile(`/proc/${pid}/io`, 'utf8').catch(() => '')}`;
  } catch {
    return null;
  }
}
