import type { Ports } from '../deps.js';
import { isConnectionFault } from '../http/error-handler.js';
import { withinTime } from '../kernel/scheduler.js';
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
  /** Whether it is to be read again before it is used. */
  isChanged: boolean;
}

interface Cache {
  /** Known and unknown keys apart, so that a flood of invented keys does not push the real ones out. */
  known: Map<string, Entry>;
  unknown: Map<string, Entry>;
  loading: Map<string, Promise<ProjectByKey | null>>;
  /** Counts the changes of projects: what was read before one is to be read again after it. */
  generation: number;
}

/** The projects of public keys. */
export interface ProjectKeys {
  /**
   * The project that a public key belongs to, or null. Answers from memory for a few seconds unless it is changed, by whatever server, and
   * for some minutes while the database is away.
   */
  find(apiToken: string): Promise<ProjectByKey | null>;
  /** Makes this process look again at changed, made or deleted projects at once; others hear of it from the database. */
  forget(apiTokens: readonly string[]): void;
}

type Deps = Pick<Ports, 'db' | 'clock' | 'scheduler' | 'changes'>;

export function createProjectKeys(deps: Deps): ProjectKeys {
  const cache: Cache = { known: new Map(), unknown: new Map(), loading: new Map(), generation: 0 };
  deps.changes.onChange((projectId) => lookAgain(cache, projectId));
  return {
    find: (apiToken) => projectByKey(deps, cache, apiToken),
    forget: (apiTokens) => forgetProjectKeys(cache, apiTokens),
  };
}

/** Another server has changed a project, or made it: its key may be one of the unknown ones. */
function lookAgain(cache: Cache, projectId: number | null): void {
  // that is about people and their rights, or more than is known: the seconds will tell
  if (projectId === null) return;
  cache.generation += 1;
  cache.unknown.clear();
  cache.loading.clear();
  for (const entry of cache.known.values()) if (entry.project?.id === projectId) entry.isChanged = true;
}

async function projectByKey(deps: Deps, cache: Cache, apiToken: string): Promise<ProjectByKey | null> {
  if (!/^[\x21-\x7e]{1,64}$/.test(apiToken)) return null;
  const entry = cache.known.get(apiToken) ?? cache.unknown.get(apiToken);
  const age = entry ? deps.clock.now() - entry.loadedAt : Number.POSITIVE_INFINITY;
  // a negative age: the clock was set back
  if (entry && !entry.isChanged && age >= 0 && age < FRESH_MS) return entry.project;
  const loading = cache.loading.get(apiToken) ?? load(deps, cache, apiToken);
  // "unknown" is not served stale: a client told so would throw its events away
  if (!entry?.project || Math.abs(age) > STALE_MS) return loading;
  return orStale(deps, loading, entry.project);
}

async function load(deps: Deps, cache: Cache, apiToken: string): Promise<ProjectByKey | null> {
  const { generation } = cache;
  const loading = read(deps, apiToken);
  cache.loading.set(apiToken, loading);
  try {
    const project = await loading;
    const isChanged = generation !== cache.generation;
    // what changed meanwhile is still good enough for a while without the database, but never instead of what is known since
    if (!isChanged || (project && !cache.known.has(apiToken)))
      remember(cache, apiToken, { project, loadedAt: deps.clock.now(), isChanged });
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

function orStale({ scheduler }: Deps, loading: Promise<ProjectByKey | null>, stale: ProjectByKey): Promise<ProjectByKey | null> {
  const safe = loading.catch((error) => {
    if (error instanceof Error && isConnectionFault(error)) return stale;
    throw error;
  });
  return withinTime(scheduler, PATIENCE_MS, safe, () => stale);
}

function forgetProjectKeys(cache: Cache, apiTokens: readonly string[]): void {
  cache.generation += 1;
  for (const apiToken of apiTokens) {
    cache.known.delete(apiToken);
    cache.unknown.delete(apiToken);
    cache.loading.delete(apiToken);
  }
}
