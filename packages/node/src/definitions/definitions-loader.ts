import type { Platform } from '@tidemark/client';
import { within } from '../within.js';
import type { DefinitionsCache } from './definitions-cache.js';
import { type FlagDefinitions, type LoadedDefinitions, loadDefinitions, readDefinitions } from './flag-definitions.js';

/** Keeps the definitions of a project up to date. */
export interface DefinitionsLoader {
  /** What is loaded; undefined: nothing, so that every question goes to the service. */
  current(): LoadedDefinitions | undefined;
  /** Loads the definitions now. Never rejects: a failure is logged, and the last definitions stay valid. */
  refresh(): Promise<void>;
  /** Whether definitions are there, after at most `ms` milliseconds. */
  ready(ms: number): Promise<boolean>;
  /** Called after every successful load, changed or not. */
  onRefresh(listener: () => void): void;
  shutdown(): Promise<void>;
}

export interface DefinitionsOptions {
  /** Base of the service's addresses, without a slash at its end. */
  host: string;
  apiKey: string;
  /** Without it, definitions come only from the cache. */
  personalApiKey: string | undefined;
  /** Milliseconds between two loads. */
  pollEvery: number;
  /** Milliseconds that a download, and each answer of the cache, may take. */
  timeout: number;
  cache?: DefinitionsCache | undefined;
}

/** As long as the service is asked too often, or refuses the key; milliseconds. */
const SLOWEST_POLL = 60_000;

/** Starts looking at once. */
export function createDefinitionsLoader(
  platform: Pick<Platform, 'fetch' | 'timers' | 'log' | 'library'>,
  options: DefinitionsOptions,
): DefinitionsLoader {
  const { timers, log } = platform;
  const { cache, timeout, pollEvery } = options;
  let loaded: LoadedDefinitions | undefined;
  let etag: string | undefined;
  let wait = pollEvery;
  let timer: unknown;
  let stopped = false;
  let running: Promise<void> | undefined;
  let abort = new AbortController();
  const listeners: (() => void)[] = [];

  const notify = () => {
    for (const listener of listeners) listener();
  };
  const take = (definitions: FlagDefinitions) => {
    loaded = loadDefinitions(definitions);
    notify();
  };
  const bounded = <T>(what: string, work: () => T | Promise<T>) => within(timers, timeout, what, work);

  async function download(): Promise<void> {
    abort = new AbortController();
    const { signal } = abort;
    const url = `${options.host}/flags/definitions?token=${encodeURIComponent(options.apiKey)}&send_cohorts`;
    const headers: Record<string, string> = {
      authorization: `Bearer ${options.personalApiKey}`,
      'user-agent': `${platform.library.name}/${platform.library.version}`,
    };
    // without definitions a 304 would leave us with none
    if (etag && loaded) headers['if-none-match'] = etag;
    const { answer, text } = await bounded('The download of flag definitions', async () => {
      const answer = await platform.fetch(url, { method: 'GET', headers, signal });
      return { answer, text: answer.status === 200 ? await answer.text() : '' };
    }).finally(() => abort.abort());
    if (answer.status !== 200 && answer.status !== 304) return refused(answer.status);
    wait = pollEvery;
    if (answer.status === 304) return notify();
    const definitions = readDefinitions(JSON.parse(text));
    if (!definitions) throw new Error('The service answered with something else than flag definitions');
    etag = answer.header('etag') ?? undefined;
    take(definitions);
    if (cache) await bounded('Storing flag definitions', () => cache.set(definitions)).catch(warn('cannot be stored'));
  }

  function refused(status: number): void {
    if (status === 429) wait = Math.max(pollEvery, Math.min(SLOWEST_POLL, wait * 2));
    if (status === 401 || status === 403) wait = Math.max(pollEvery, SLOWEST_POLL);
    if (status === 402) loaded = undefined;
    const hint = status === 401 || status === 403 ? ': personalApiKey needs the scope feature_flag:read of this project' : '';
    log.warn(`Flag definitions: the service answers ${status}${hint}`);
  }

  const warn = (what: string) => (error: unknown) => {
    log.warn(`Flag definitions ${what}: ${error instanceof Error ? error.message : String(error)}`);
  };

  async function load(): Promise<void> {
    if (!cache) return download();
    const fetches =
      options.personalApiKey === undefined
        ? false
        : await bounded('Asking who downloads flag definitions', () => cache.shouldFetch()).catch((error) => {
            warn('are downloaded by us too')(error);
            return true;
          });
    if (fetches) return download();
    const shared = readDefinitions(await bounded('Reading shared flag definitions', () => cache.get()));
    if (shared) take(shared);
    else if (!loaded && options.personalApiKey !== undefined) await download();
  }

  function refresh(): Promise<void> {
    if (stopped) return Promise.resolve();
    running ??= load()
      .catch((error: unknown) => {
        if (!stopped) warn('stay as they are')(error);
      })
      .finally(() => {
        running = undefined;
        timers.clear(timer);
        if (!stopped) timer = timers.set(() => void refresh(), wait);
      });
    return running;
  }

  const first = refresh();
  return {
    current: () => loaded,
    refresh,
    onRefresh: (listener) => void listeners.push(listener),
    ready: async (ms) => {
      const waiting = running ?? first;
      if (!loaded) await within(timers, ms, 'Loading flag definitions', () => waiting).catch(() => {});
      return loaded !== undefined;
    },
    shutdown: async () => {
      if (stopped) return;
      stopped = true;
      timers.clear(timer);
      abort.abort();
      if (cache?.shutdown) await bounded('Closing the cache', () => cache.shutdown?.()).catch(warn('cache did not close'));
    },
  };
}
