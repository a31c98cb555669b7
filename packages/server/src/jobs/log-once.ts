import type { Logger } from 'pino';

/**
 * Tells of work that comes again and again and fails: of each thing that goes wrong once in a row, and once when all works again.
 * @param again what is said then
 */
export function tellOnce(log: Logger, level: 'warn' | 'error', again: string, fields: object = {}) {
  /** What was told since it last worked, by what went wrong. */
  const told = new Map<string, string>();
  return {
    failed(what: string, error: unknown): void {
      const reason = error instanceof Error ? error.message : String(error);
      log[told.get(what) === reason ? 'debug' : level]({ err: error, ...fields }, what);
      told.set(what, reason);
    },
    worked(): void {
      if (told.size > 0) log.info({ ...fields, failure: [...told.keys()].join('; ') }, again);
      told.clear();
    },
  };
}
