import type { Platform } from '@tidemark/client';

/** A platform that keeps all to itself. @param answer what a request is answered, as JSON; nothing leaves the process */
export function memoryPlatform(answer: (url: string) => unknown): Platform {
  const stored = new Map<string, string>();
  return {
    library: { name: 'tidemark-test', version: '0' },
    fetch: async (url) => ({ status: 200, header: () => null, text: async () => JSON.stringify(answer(url)) }),
    store: {
      get: (key) => stored.get(key) ?? null,
      set: (key, text) => void stored.set(key, text),
      remove: (key) => void stored.delete(key),
    },
    clock: { now: () => Date.now() },
    ids: { uuid7: (at = Date.now()) => uuid7(at) },
    timers: {
      set: (run, ms) => setTimeout(run, ms),
      clear: (timer) => clearTimeout(timer === undefined ? undefined : Number(timer)),
    },
    log: { debug: () => {}, warn: (...parts) => console.warn(...parts), error: (...parts) => console.error(...parts) },
  };
}

/** Version 7 by the time, the rest by chance. */
function uuid7(at: number): string {
  const time = Math.floor(at).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
