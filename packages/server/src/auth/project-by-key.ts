import { type Caches, createInvalidations, createRefreshingCache } from '../caches/index.js';
import type { Ports } from '../deps.js';
import { isConnectionFault } from '../http/error-handler.js';
import { projectByToken } from './store.js';

/** The project of a public key, as far as ingestion needs it. */
export interface ProjectByKey {
  id: number;
  organizationId: string;
  apiToken: string;
  timezone: string;
  anonymizeIps: boolean;
  /** Whether visitors without cookies get an id of the day; absent: false. */
  isCookieless?: boolean;
}

const FRESH_MS = 5_000;
/** How long a known project is still served while the database is away; milliseconds. */
const STALE_MS = 10 * 60_000;
/** How long a request waits for the database when it could be served from memory; milliseconds. */
const PATIENCE_MS = 500;
/** Known and unknown keys apart, so that a flood of invented keys does not evict the real ones. */
const MAX_KEYS = 10_000;

/** Cache of the projects of public keys. */
export interface ProjectKeys {
  /**
   * The project that a public key belongs to, or null. A known project is served from memory for a few seconds unless it is changed, by
   * whatever server, and for some minutes while the database is away. "Unknown" is not: the client would throw its events away.
   */
  find(apiToken: string): Promise<ProjectByKey | null>;
  /** Has changed, made or deleted projects read again by this process at once; others hear of the change from the database. */
  forget(apiTokens: readonly string[]): void;
}

export function createProjectKeys(
  { db, clock, scheduler, changes, log }: Pick<Ports, 'db' | 'clock' | 'scheduler' | 'changes' | 'log'>,
  caches: Caches,
): ProjectKeys {
  // its own: a change that may have been anywhere (null) is about people and their rights, or more than is known; the seconds will tell
  const invalidations = createInvalidations();
  changes.onChange((projectId) => {
    if (projectId !== null) invalidations.invalidate([`project:${projectId}`]);
  });
  const cache = createRefreshingCache<string, ProjectByKey>({ clock, scheduler }, caches, {
    name: 'project_keys',
    maxEntries: MAX_KEYS,
    maxAbsent: MAX_KEYS,
    invalidatedBy: invalidations,
    tagsOf: (apiToken, project) => project && [`key:${apiToken}`, `project:${project.id}`],
    freshMs: () => FRESH_MS,
    staleMs: STALE_MS,
    patienceMs: PATIENCE_MS,
    revalidatesBehind: () => false,
    read: async (apiToken) => {
      const row = await projectByToken(db, apiToken);
      if (!row) return null;
      const { id, organization_id: organizationId, api_token, timezone, anonymize_ips: anonymizeIps, cookieless_mode } = row;
      return { id, organizationId, apiToken: api_token, timezone, anonymizeIps, isCookieless: cookieless_mode === '1' };
    },
    onFailure: (error) => {
      if (!(error instanceof Error && isConnectionFault(error)))
        log.error({ err: error }, 'a project could not be read by its key');
    },
  });
  return {
    find: (apiToken) => (/^[\x21-\x7e]{1,64}$/.test(apiToken) ? cache.get(apiToken) : Promise.resolve(null)),
    forget: (apiTokens) => {
      for (const apiToken of apiTokens) cache.delete(apiToken);
      invalidations.invalidate(apiTokens.map((apiToken) => `key:${apiToken}`));
    },
  };
}
