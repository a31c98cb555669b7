import { type Caches, createRefreshingCache, type Invalidations } from '../caches/index.js';
import type { Ports } from '../deps.js';
import { isConnectionFault } from '../http/error-handler.js';
import { type Definitions, makeDefinitions } from './make-definitions.js';
import { definitionsFingerprint, loadDefinitionRows } from './store.js';

/** Age at which definitions are revalidated; milliseconds. Much shorter while LISTEN/NOTIFY is disconnected. */
const FRESH_MS = 30_000;
const FRESH_WITHOUT_NOTIFICATIONS_MS = 1_000;
/** How long a request waits for the database when stale definitions are available; milliseconds. */
const DATABASE_TIMEOUT_MS = 300;
/** Projects whose definitions are cached. */
const MAX_PROJECTS = 2_000;

/**
 * Cache of the flag definitions of projects. Lifecycle of an entry:
 *
 *     missing ──get──> loading ──────────────────────────────> fresh
 *                         ^                                    │  │ age > FRESH_MS
 *                         │ get        invalidated by NOTIFY   │  v
 *                      outdated <──────────────────────────────┘ stale ──get──> serves stale, revalidates in the background
 *                                                                                 ├ same fingerprint: fresh
 *                                                                                 └ other fingerprint: loads, then fresh
 *
 * A reload that fails or takes longer than DATABASE_TIMEOUT_MS leaves the former definitions in use.
 */
export interface FlagDefinitions {
  /**
   * The definitions of a project, from memory unless they changed. While the database is unavailable, the last known ones.
   * @throws Error the database is unavailable and nothing is cached
   */
  get(projectId: number): Promise<Definitions>;
  /** Invalidates the definitions of a project: the next use reads them again. */
  invalidate(projectId: number): void;
  /** Whether these definitions are the latest known ones: responses made from older ones must not be cached. */
  isCurrent(projectId: number, definitions: Definitions): boolean;
}

export function createFlagDefinitions(
  { db, clock, scheduler, changes, log }: Pick<Ports, 'db' | 'clock' | 'scheduler' | 'changes' | 'log'>,
  caches: Caches,
  invalidatedBy: Invalidations,
): FlagDefinitions {
  const tagsOf = (projectId: number) => [`project:${projectId}`];
  const cache = createRefreshingCache<number, Definitions>({ clock, scheduler }, caches, {
    name: 'flag_definitions',
    maxEntries: MAX_PROJECTS,
    invalidatedBy,
    tagsOf,
    freshMs: () => (changes.heard() ? FRESH_MS : FRESH_WITHOUT_NOTIFICATIONS_MS),
    staleMs: Number.POSITIVE_INFINITY,
    patienceMs: DATABASE_TIMEOUT_MS,
    revalidatesBehind: () => changes.heard(),
    read: async (projectId, former) => {
      const mark = await definitionsFingerprint(db, projectId);
      return former?.fingerprint === mark ? former : makeDefinitions(projectId, mark, await loadDefinitionRows(db, projectId));
    },
    onFailure: (error, projectId) => {
      if (!(error instanceof Error && isConnectionFault(error))) log.error({ err: error, projectId }, 'flags could not be read');
    },
  });
  return {
    get: async (projectId) => {
      const definitions = await cache.get(projectId);
      if (!definitions) throw new Error('a project without definitions of flags');
      return definitions;
    },
    invalidate: (projectId) => invalidatedBy.invalidate(tagsOf(projectId)),
    isCurrent: cache.isCurrent,
  };
}
