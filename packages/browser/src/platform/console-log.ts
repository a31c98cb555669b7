import type { Log } from '@tidemark/client';

const write =
  (level: keyof Log) =>
  (...parts: unknown[]) =>
    void import('../messages.js')
      // codes are better than nothing
      .catch((): Log => console)
      .then((log) => log[level](...parts));

/** The console. Most pages have nothing to say, so the sentences are loaded with the first message. */
export const consoleLog: Log = { debug: write('debug'), warn: write('warn'), error: write('error') };
