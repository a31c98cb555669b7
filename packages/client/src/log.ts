import type { Log } from './platform.js';

export interface ClientLog extends Log {
  /** Turns `debug` lines on and off. */
  verbose(on: boolean): void;
  /** Returns whether the line was written. */
  debug(...parts: unknown[]): boolean;
}

/** A log that writes each warning once and debug lines only while they are on. It never throws, even if the log of the platform does. */
export function createLog(target: Log): ClientLog {
  const logged = new Set<unknown>();
  let debugging = false;
  const write = (level: 'debug' | 'warn' | 'error', parts: unknown[]) => {
    try {
      target[level]('[tidemark]', ...parts);
    } catch {}
  };
  return {
    verbose(on) {
      debugging = on;
    },
    debug(...parts) {
      if (debugging) write('debug', parts);
      return debugging;
    },
    warn(...parts) {
      if (logged.has(parts[0]) && !debugging) return;
      logged.add(parts[0]);
      write('warn', parts);
    },
    error(...parts) {
      write('error', parts);
    },
  };
}
