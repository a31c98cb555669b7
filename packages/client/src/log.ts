import type { Log } from './platform.js';

export interface ClientLog extends Log {
  /** Turns `debug` lines on and off. */
  verbose(on: boolean): void;
  /** Whether the line was written. */
  debug(...parts: unknown[]): boolean;
}

/** Says each warning once, debug lines only when asked for, and never throws, whatever the platform's log does. */
export function createLog(target: Log): ClientLog {
  const said = new Set<unknown>();
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
      if (said.has(parts[0]) && !debugging) return;
      said.add(parts[0]);
      write('warn', parts);
    },
    error(...parts) {
      write('error', parts);
    },
  };
}
