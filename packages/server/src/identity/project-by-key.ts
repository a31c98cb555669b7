import type { Deps } from '../deps.js';
import { isConnectionFault } from '../http/error-handler.js';
import { projectByToken } from './store.js';

/** The project of a public key, as far as ingestion needs it. */
export interface ProjectByKey {
  id: number;
  organizationId: string;
  apiToken: string;
  timezone: string;
  anonymizeIps: boolean;
}

const FRESH_MS = 5_000;
/** How long a known project is still served while the database is away. */
const STALE_MS = 10 * 60_000;
/** How long a request waits for the database when it could be served from memory. */
const PATIENCE_MS = 500;
const MAX_ENTRIES = 10_000;

interface Entry {
  project: ProjectByKey | null;
  loadedAt: number;
}

interface Cache {
  /** Known and unknown keys apart, so that a flood of invented keys does not push the real ones out. */
  known: Map<string, Entry>;
  unknown: Map<string, Entry>;
  loading: Map<string, Promise<ProjectByKey | null>>;
  /** Counts the changes of projects: what was read before one is not kept after it. */
  generation: number;
}

const caches = new WeakMap<Deps, Cache>();

function cacheOf(deps: Deps): Cache {
  let cache = caches.get(deps);
  if (!cache) {
    cache = { known: new Map(), unknown: new Map(), loading: new Map(), generation: 0 };
    caches.set(deps, cache);
  }
  return cache;
}

/**
 * The project that a public key belongs to, or null. Answers from memory for a few seconds, and for some minutes while the
 * database is away.
 */
export async function projectByKey(deps: Deps, apiToken: string): Promise<ProjectByKey | null> {
  if (!/^[\x21-\x7e]{1,64}$/.test(apiToken)) return null;
  const cache = cacheOf(deps);
  const entry = cache.known.get(apiToken) ?? cache.unknown.get(apiToken);
  const age = entry ? deps.clock.now() - entry.loadedAt : Number.POSITIVE_INFINITY;
  if (entry && age < FRESH_MS) return entry.project;
  const loading = cache.loading.get(apiToken) ?? load(deps, cache, apiToken);
  // "unknown" is not served stale: a client told so would throw its events away
  if (!entry?.project || age > STALE_MS) return loading;
  return orStale(loading, entry.project);
}

async function load(deps: Deps, cache: Cache, apiToken: string): Promise<ProjectByKey | null> {
  const { generation } = cache;
  const loading = read(deps, apiToken);
  cache.loading.set(apiToken, loading);
  try {
    const project = await loading;
    if (generation === cache.generation) remember(cache, apiToken, { project, loadedAt: deps.clock.now() });
    return project;
  } finally {
    if (cache.loading.get(apiToken) === loading) cache.loading.delete(apiToken);
  }
}

async function read(deps: Deps, apiToken: string): Promise<ProjectByKey | null> {
  const row = await projectByToken(deps.db, apiToken);
  if (!row) return null;
  const { id, organization_id: organizationId, api_token, timezone, anonymize_ips: anonymizeIps } = row;
  return { id, organizationId, apiToken: api_token, timezone, anonymizeIps };
}

function remember(cache: Cache, apiToken: string, entry: Entry): void {
  cache.known.delete(apiToken);
  cache.unknown.delete(apiToken);
  const entries = entry.project ? cache.known : cache.unknown;
  entries.set(apiToken, entry);
  const oldest = entries.size > MAX_ENTRIES ? entries.keys().next().value : undefined;
  if (oldest !== undefined) entries.delete(oldest);
}

async function orStale(loading: Promise<ProjectByKey | null>, stale: ProjectByKey): Promise<ProjectByKey | null> {
  let timer: NodeJS.Timeout | undefined;
  const impatient = new Promise<ProjectByKey>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, stale);
  });
  const safe = loading.catch((error) => {
    if (error instanceof Error && isConnectionFault(error)) return stale;
    throw error;
  });
  try {
    return await Promise.race([safe, impatient]);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes this process look again at changed, made or deleted projects; others notice within seconds. */
export function forgetProjectKeys(deps: Deps, apiTokens: readonly string[]): void {
  const cache = cacheOf(deps);
  cache.generation += 1;
  for (const apiToken of apiTokens) {
    cache.known.delete(apiToken);
    cache.unknown.delete(apiToken);
    cache.loading.delete(apiToken);
  }
}
