import { propertiesNeeded } from '@tidemark/flags/needs';
import type { Definitions } from './make-definitions.js';
import type { FlagRow } from './store.js';

/** Which flags a request is about. */
export interface Wanted {
  /** null: all. */
  flagKeys: readonly string[] | null;
  /** null: of all contexts. */
  contexts: readonly string[] | null;
  /** null: nobody knows where the client runs. */
  runtime: 'client' | 'server' | null;
}

/** The flags to answer with, and what has to be known for them. */
export interface Selection {
  flags: readonly FlagRow[];
  /** undefined: every flag. */
  only: ReadonlySet<string> | undefined;
  uses: ReturnType<typeof propertiesNeeded>;
}

/** Selections and characters of their names that are kept for each definitions: clients ask the same again and again. */
const MOST = 500;
const MAX_NAME = 500;

export function selectFlags(definitions: Definitions, wanted: Wanted): Selection {
  const { selections } = definitions;
  const { runtime, contexts, flagKeys } = wanted;
  const name = contexts || flagKeys ? JSON.stringify([runtime, contexts, flagKeys]) : String(runtime);
  let selection = selections.get(name);
  if (!selection) {
    selection = select(definitions, wanted);
    if (selections.size >= MOST) selections.clear();
    if (name.length <= MAX_NAME) selections.set(name, selection);
  }
  return selection;
}

function select({ flags, prepared }: Definitions, wanted: Wanted): Selection {
  const active = flags.filter((flag) => flag.active);
  const keys = wanted.flagKeys && new Set(wanted.flagKeys);
  const shown = active.filter((flag) => (keys?.has(flag.key) ?? true) && isIn(flag, wanted));
  const only = shown.length === active.length ? undefined : new Set(shown.map((flag) => flag.key));
  return { flags: shown, only, uses: propertiesNeeded(prepared, only) };
}

function isIn(flag: FlagRow, { contexts, runtime }: Wanted): boolean {
  // a flag for servers may hold what pages must not see; one for pages is of no harm elsewhere
  if (flag.evaluation_runtime === 'server' && runtime !== 'server') return false;
  if (flag.evaluation_runtime === 'client' && runtime === 'server') return false;
  return !contexts || flag.evaluation_contexts.length === 0 || flag.evaluation_contexts.some((own) => contexts.includes(own));
}
