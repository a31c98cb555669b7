import { isMainThread } from 'node:worker_threads';

/** What is needed of Node's `process`. */
export interface ProcessPort {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (reason: unknown) => void): unknown;
  off(event: 'uncaughtException' | 'unhandledRejection', listener: (reason: unknown) => void): unknown;
  listeners(event: 'uncaughtException' | 'unhandledRejection'): readonly unknown[];
  /** Ends it with the code, for this error. */
  exit(code: number, error: unknown): void;
  /** Prints the error that ends the process, as Node.js does. */
  report(error: unknown): void;
}

/** Listener for uncaught exceptions. `fatal`: the process ends with it. */
export type UncaughtListener = (error: unknown, hook: UncaughtHook) => void;

export interface UncaughtHook {
  type: 'onuncaughtexception' | 'onunhandledrejection';
  source: 'node.process_uncaught_exception' | 'node.process_unhandled_rejection';
  fatal: boolean;
}

/** The listeners of all clients. They are not counted as handlers of the application, so the process still ends. */
const ours = new WeakSet<object>();
/** What the clients of a process that ends still send. */
const draining = new WeakMap<ProcessPort, Promise<unknown>>();

/**
 * Listens for uncaught exceptions and unhandled rejections. If the application has no handler, the error is printed and the process ends with
 * code 1, as without Tidemark, after the `drain` of each client has sent its events. Returns a function that ends it.
 */
export function watchProcess(process: ProcessPort, heard: UncaughtListener, drain: () => Promise<void>): () => void {
  let isEnding = false;
  const watch = (
    event: 'uncaughtException' | 'unhandledRejection',
    type: UncaughtHook['type'],
    source: UncaughtHook['source'],
  ) => {
    const listener = (error: unknown) => {
      const fatal = process.listeners(event).every((one) => one instanceof Function && ours.has(one));
      heard(error, { type, source, fatal });
      if (!fatal || isEnding) return;
      isEnding = true;
      const others = draining.get(process);
      if (!others) process.report(error);
      const all = Promise.allSettled([others, drain()]);
      draining.set(process, all);
      void all.then(() => {
        if (draining.get(process) === all) process.exit(1, error);
      });
    };
    ours.add(listener);
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

/** The process that we run in, or the thread of it: who started a thread gets its errors, so they are thrown again there. */
export const ownProcess: ProcessPort = {
  on: (event, listener) => process.on(event, listener),
  off: (event, listener) => process.off(event, listener),
  listeners: (event) => process.rawListeners(event),
  exit: (code, error) => {
    if (isMainThread) process.exit(code);
    setImmediate(() => {
      throw error;
    });
  },
  report: (error) => {
    if (isMainThread) console.error('Uncaught', error);
  },
};
