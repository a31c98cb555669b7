import type { DefinitionsLoader } from '../definitions/definitions-loader.js';
import type { EvaluatedFlag, FlagMap } from './evaluated-flag.js';
import type { FlagSubject } from './flag-subject.js';
import { evaluateLocally } from './local-flags.js';
import type { AskFlags } from './remote-flags.js';

/** What came of an evaluation. */
export interface Evaluation {
  readonly flags: FlagMap;
  readonly requestId?: string | undefined;
  /** Epoch milliseconds. */
  readonly evaluatedAt?: number | undefined;
  /** Why the answers may not be complete, in words of the protocol. */
  readonly error?: string | undefined;
  /** Whether `$feature_flag_called` is wanted in its short form. */
  readonly minimal: boolean;
}

export interface FlagEvaluator {
  /** Never rejects. @param keys the requested keys; undefined: all flags */
  evaluate(subject: FlagSubject, keys: readonly string[] | undefined, onlyLocally: boolean): Promise<Evaluation>;
  /** Clears the cached answers. */
  forget(): void;
}

interface Ports {
  ask: AskFlags;
  definitions: DefinitionsLoader | undefined;
  /** Only flags of one of these, and those that have none; undefined: of all. */
  contexts?: readonly string[] | undefined;
  now(): number;
}

const MOST_REMEMBERED = 1_000;
const MOST_ABSENT = 1_000;

/** Evaluates flags locally where possible, and requests the others. When a request fails, the cached answer is used. */
export function createFlagEvaluator({ ask, definitions, contexts, now }: Ports): FlagEvaluator {
  const remembered = new Map<string, Map<string, EvaluatedFlag>>();
  /** Keys that neither the definitions nor the service have: they are not requested again until something changes. */
  const absent = new Set<string>();
  definitions?.onRefresh(() => absent.clear());

  function remember(subject: FlagSubject, flags: FlagMap, whole: boolean): void {
    const name = nameOf(subject);
    const known = (!whole && remembered.get(name)) || new Map<string, EvaluatedFlag>();
    for (const [key, flag] of flags) known.set(key, flag);
    remembered.delete(name);
    remembered.set(name, known);
    const [oldest] = remembered.keys();
    if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  }

  async function remote(subject: FlagSubject, keys: readonly string[] | undefined): Promise<Evaluation> {
    const answer = await ask(subject, keys);
    if (typeof answer === 'string') {
      return { flags: remembered.get(nameOf(subject)) ?? new Map(), error: answer, minimal: false };
    }
    const { requestId, evaluatedAt, partial, quotaLimited, minimal } = answer;
    const flags = new Map(Object.entries(answer.flags).map(([key, known]) => [key, { ...known, local: false }]));
    const clean = !partial && !quotaLimited;
    if (!quotaLimited) remember(subject, flags, clean && !keys);
    const about = { requestId, evaluatedAt, minimal };
    if (clean) {
      for (const key of keys ?? []) if (definitions?.current() && !flags.has(key) && absent.size < MOST_ABSENT) absent.add(key);
      return { flags, ...about };
    }
    // flags that the service could not compute keep their cached values
    const known = new Map([...(remembered.get(nameOf(subject)) ?? []), ...flags]);
    return { flags: known, ...about, error: quotaLimited ? 'quota_limited' : 'errors_while_computing_flags' };
  }

  return {
    forget: () => {
      remembered.clear();
      absent.clear();
    },
    evaluate: async (subject, keys, onlyLocally) => {
      const only = keys && new Set(keys);
      const loaded = definitions?.current();
      const local = loaded && evaluateLocally(loaded, subject, { now: now() }, only, contexts);
      const own: FlagMap = local?.flags ?? new Map();
      const needed = local ? local.unresolved.filter((key) => !absent.has(key)) : keys;
      const minimal = loaded?.source.minimalFlagCalledEvents === true;
      if (onlyLocally || (needed && needed.length === 0)) return { flags: own, minimal };
      const answer = await remote(subject, keys ?? needed);
      const flags = new Map([...answer.flags, ...own].filter(([key]) => only?.has(key) ?? true));
      return { ...answer, flags, minimal: answer.minimal || minimal };
    },
  };
}

/** The cache key: equal for subjects that get the same answer. */
function nameOf({ distinctId, deviceId, groups, personProperties, groupProperties }: FlagSubject): string {
  const sorted = Object.entries(groups).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([distinctId, deviceId, sorted, personProperties, groupProperties]);
}
