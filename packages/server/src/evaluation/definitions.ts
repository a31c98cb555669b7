import { type Caches, createRefreshingCache, type Invalidations } from '../caches/index.js';
import type { Ports } from '../deps.js';
import { isConnectionFault } from '../http/error-handler.js';
import { type Definitions, makeDefinitions } from './make-definitions.js';
import { definitionsMark, loadDefinitionRows } from './store.js';

/** How long definitions are used before they are read again; milliseconds. While changes are not heard, much less. */
const FRESH_MS = 30_000;
const FRESH_UNHEARD_MS = 1_000;
/** How long a request waits for the database when it could be answered from memory; milliseconds. */
const PATIENCE_MS = 300;
/** Projects whose definitions are cached. */
const MAX_PROJECTS = 2_000;

/** What the flags of projects are made of. */
export interface FlagDefinitions {
  /**
   * Those of a project, from memory unless something has changed. While the database is away, as they were before.
   * @throws Error when the database is away and nothing is known yet
   */
  of(projectId: number): Promise<Definitions>;
  /** Has those of a project read again before they are next used. */
  forget(projectId: number): void;
  /** Whether these are the definitions of a project as far as its changes are known: what was made of others must not be cached. */
  areCurrent(projectId: number, definitions: Definitions): boolean;
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
    freshMs: () => (changes.heard() ? FRESH_MS : FRESH_UNHEARD_MS),
    staleMs: Number.POSITIVE_INFINITY,
    patienceMs: PATIENCE_MS,
    revalidatesBehind: () => changes.heard(),
    read: async (projectId, former) => {
      const mark = await definitionsMark(db, projectId);
      return former?.mark === mark ? former : makeDefinitions(projectId, mark, await loadDefinitionRows(db, projectId));
    },
    onFailure: (error, projectId) => {
      if (!(error instanceof Error && isConnectionFault(error))) log.error({ err: error, projectId }, 'flags could not be read');
    },
  });
  return {
    of: async (projectId) => {
      const definitions = await cache.get(projectId);
      if (!definitions) throw new Error('a project without definitions of flags');
      return definitions;
    },
    forget: (projectId) => invalidatedBy.invalidate(tagsOf(projectId)),
    areCurrent: cache.isCurrent,
  };
}
