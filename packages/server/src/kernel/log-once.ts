import { sentenceOf } from './errors.js';

type Level = 'debug' | 'info' | 'warn' | 'error';
/** Logs at a level; pino's loggers are assignable. */
type Log = Record<Level, (fields: object, message: string) => void>;

/** Logs failures of work that runs again and again. */
export interface LogOnce {
  /** Logs a failure, unless the same one was logged since the work last succeeded. */
  failed(what: string, error: unknown): void;
  /** Logs once that the work succeeds again. */
  worked(): void;
}

/** @param again what is logged when the work succeeds after failures */
export function logOnce(log: Log, level: 'warn' | 'error', again: string, fields: object = {}): LogOnce {
  /** The reasons logged since the last success, by what failed. */
  const logged = new Map<string, string>();
  return {
    failed(what, error) {
      const reason = sentenceOf(error);
      log[logged.get(what) === reason ? 'debug' : level]({ err: error, ...fields }, what);
      logged.set(what, reason);
    },
    worked() {
      if (logged.size > 0) log.info({ ...fields, failure: [...logged.keys()].join('; ') }, again);
      logged.clear();
    },
  };
}
