/** What is needed of Node's `process`. */
export interface ProcessPort {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (reason: unknown) => void): unknown;
  off(event: 'uncaughtException' | 'unhandledRejection', listener: (reason: unknown) => void): unknown;
  listenerCount(event: 'uncaughtException' | 'unhandledRejection'): number;
  exit(code: number): void;
  /** Shows what ends the process, as Node.js would have. */
  report(error: unknown): void;
}

/** What hears of an exception that nobody caught. `fatal`: the process ends with it. */
export type UncaughtListener = (error: unknown, hook: UncaughtHook) => void;

export interface UncaughtHook {
  type: 'onuncaughtexception' | 'onunhandledrejection';
  source: 'node.process_uncaught_exception' | 'node.process_unhandled_rejection';
  fatal: boolean;
}

/**
 * Listens for exceptions and rejections that nobody caught. When nobody else listens, the process still ends with code 1 and the
 * error is printed, as without us; but first `drain` has its time to send what was captured. Returns how to stop.
 */
export function watchProcess(process: ProcessPort, heard: UncaughtListener, drain: () => Promise<void>): () => void {
  let ending = false;
  const watch = (
    event: 'uncaughtException' | 'unhandledRejection',
    type: UncaughtHook['type'],
    source: UncaughtHook['source'],
  ) => {
    const listener = (error: unknown) => {
      const fatal = process.listenerCount(event) === 1;
      heard(error, { type, source, fatal });
      if (!fatal || ending) return;
      ending = true;
      process.report(error);
      void drain().then(
        () => process.exit(1),
        () => process.exit(1),
      );
    };
    process.on(event, listener);
    return () => process.off(event, listener);
  };
  const stops = [
    watch('uncaughtException', 'onuncaughtexception', 'node.process_uncaught_exception'),
    watch('unhandledRejection', 'onunhandledrejection', 'node.process_unhandled_rejection'),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** The process that we run in. */
export const ownProcess: ProcessPort = {
  on: (event, listener) => process.on(event, listener),
  off: (event, listener) => process.off(event, listener),
  listenerCount: (event) => process.listenerCount(event),
  exit: (code) => process.exit(code),
  report: (error) => console.error('Uncaught', error),
};
