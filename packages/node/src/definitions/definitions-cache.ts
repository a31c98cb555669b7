import type { FlagDefinitions } from './flag-definitions.js';

/**
 * Definitions shared by several processes, so that one of them downloads for all. Each function may answer at once or later; one
 * that fails or hangs never stops evaluation.
 *
 * @example
 * const cache: DefinitionsCache = {
 *   shouldFetch: () => redis.set('flags:lock', '1', { NX: true, PX: 30_000 }).then(Boolean),
 *   get: async () => JSON.parse((await redis.get('flags')) ?? 'null') ?? undefined,
 *   set: async (definitions) => void (await redis.set('flags', JSON.stringify(definitions))),
 * };
 */
export interface DefinitionsCache {
  /** Whether this process downloads the definitions this time. */
  shouldFetch(): boolean | Promise<boolean>;
  /** What another process has downloaded; undefined: nothing yet. */
  get(): FlagDefinitions | null | undefined | Promise<FlagDefinitions | null | undefined>;
  /** Stores the downloaded definitions. */
  set(definitions: FlagDefinitions): void | Promise<void>;
  /** Lets go of locks and connections. */
  shutdown?(): void | Promise<void>;
}
