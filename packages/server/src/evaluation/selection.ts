import type { IncomingHttpHeaders } from 'node:http';
import { propertiesNeeded } from '@tidemark/flags/needs';
import type { Definitions } from './definitions.js';
import type { FlagRow } from './store.js';

/** Which flags a request evaluates. */
export interface FlagFilter {
  /** null: all. */
  flagKeys: readonly string[] | null;
  /** null: of all contexts. */
  contexts: readonly string[] | null;
  /** null: unknown. */
  runtime: 'client' | 'server' | null;
}

/** The selected flags, and the data that their evaluation needs. */
export interface Selection {
  flags: readonly FlagRow[];
  /** undefined: every flag. */
  only: ReadonlySet<string> | undefined;
  uses: ReturnType<typeof propertiesNeeded>;
}

/** Limits of memoized selections per definitions, and of their keys in characters: clients repeat their requests. */
const MAX_SELECTIONS = 500;
const MAX_KEY_LENGTH = 500;

export function selectFlags(definitions: Definitions, wanted: FlagFilter): Selection {
  const { selections } = definitions;
  const { runtime, contexts, flagKeys } = wanted;
  const key = contexts || flagKeys ? JSON.stringify([runtime, contexts, flagKeys]) : String(runtime);
  let selection = selections.get(key);
  if (!selection) {
    selection = select(definitions, wanted);
    if (selections.size >= MAX_SELECTIONS) selections.clear();
    if (key.length <= MAX_KEY_LENGTH) selections.set(key, selection);
  }
  return selection;
}

function select({ flags, prepared }: Definitions, wanted: FlagFilter): Selection {
  const active = flags.filter((flag) => flag.active);
  const keys = wanted.flagKeys && new Set(wanted.flagKeys);
  const shown = active.filter((flag) => (keys?.has(flag.key) ?? true) && matchesFilter(flag, wanted));
  const only = shown.length === active.length ? undefined : new Set(shown.map((flag) => flag.key));
  return { flags: shown, only, uses: propertiesNeeded(prepared, only) };
}

function matchesFilter(flag: FlagRow, { contexts, runtime }: FlagFilter): boolean {
  // a server flag may contain what pages must not see; a client flag is harmless where the runtime is unknown
  if (flag.evaluation_runtime === 'server' && runtime !== 'server') return false;
  if (flag.evaluation_runtime === 'client' && runtime === 'server') return false;
  return !contexts || flag.evaluation_contexts.length === 0 || flag.evaluation_contexts.some((own) => contexts.includes(own));
}

/** User agents of servers: SDKs, and HTTP clients of programming languages. */
const SERVER =
  /^posthog-(node|python|ruby|php|java|go|elixir|rust|server|dotnet)|^tidemark-node|^(python-requests|python-httpx|python-urllib3|go-http-client|node-fetch|undici|axios|got |ruby|guzzle|okhttp-server|curl|wget|elixir)/i;
/** User agents of browsers and apps. */
const CLIENT = /^mozilla\/|^posthog-(js|react-native|ios|android|flutter)|^tidemark-(browser|react-native)/i;

/** The runtime of a client, by its headers; null: unknown. */
export function runtimeOf(headers: IncomingHttpHeaders): 'client' | 'server' | null {
  const agent = headers['user-agent'] ?? '';
  if (SERVER.test(agent)) return 'server';
  const isBrowser = headers.origin ?? headers.referer ?? headers['sec-fetch-mode'] ?? headers['sec-fetch-site'];
  return isBrowser !== undefined || CLIENT.test(agent) ? 'client' : null;
}
