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
  /** @param keys asked for by name; undefined: all flags. Never rejects. */
  evaluate(subject: FlagSubject, keys: readonly string[] | undefined, onlyLocally: boolean): Promise<Evaluation>;
  /** Forgets what was answered before. */
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

/** Evaluates here what can be told here, and asks the service for the rest; what it answered last stands in when it fails. */
export function createFlagEvaluator({ ask, definitions, contexts, now }: Ports): FlagEvaluator {
  const remembered = new Map<string, Map<string, EvaluatedFlag>>();
  /** Keys that exist neither here nor there, so that asking for them again is for nothing until something changes. */
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
    // what could not be computed this time is what it was
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
      const told = await remote(subject, keys ?? needed);
      const flags = new Map([...told.flags, ...own].filter(([key]) => only?.has(key) ?? true));
      return { ...told, flags, minimal: told.minimal || minimal };
    },
  };
}

/** Equal for those of whom the service would answer the same. */
function nameOf({ distinctId, deviceId, groups, personProperties, groupProperties }: FlagSubject): string {
  const sorted = Object.entries(groups).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([distinctId, deviceId, sorted, personProperties, groupProperties]);
}
