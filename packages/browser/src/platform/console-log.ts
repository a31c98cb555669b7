import type { Log } from '@tidemark/client';

const write =
  (level: keyof Log) =>
  (...parts: unknown[]) =>
    void import('../messages.js')
      // without the messages, their codes are logged
      .catch((): Log => console)
      .then((log) => log[level](...parts));

/** The console. Most pages log nothing, so the messages are loaded with the first one. */
export const consoleLog: Log = { debug: write('debug'), warn: write('warn'), error: write('error') };
