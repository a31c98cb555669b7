import { type Platform, uuid7Maker, withMessages } from '@tidemark/client';

/** A platform in memory, without a network. @param answer the JSON answer of every request */
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
    ids: {
      uuid7: uuid7Maker(
        () => Date.now(),
        (bytes) => crypto.getRandomValues(bytes),
      ),
    },
    timers: {
      set: (run, ms) => setTimeout(run, ms),
      clear: (timer) => clearTimeout(timer === undefined ? undefined : Number(timer)),
    },
    log: { ...withMessages(console), debug: () => {} },
  };
}
