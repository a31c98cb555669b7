import type { Ports } from '../deps.js';
import type { Answers } from '../http/answers.js';
import { isConnectionFault } from '../http/error-handler.js';
import { withinTime } from '../kernel/scheduler.js';
import { type Definitions, makeDefinitions } from './make-definitions.js';
import { definitionsMark, loadDefinitionRows } from './store.js';

/** How long definitions are taken for good without a look; milliseconds. While changes are not heard, much less. */
const GOOD_MS = 30_000;
const GOOD_UNHEARD_MS = 1_000;
/** After a look that failed, how long until the next. */
const PAUSE_MS = 1_000;
/** How long an answer waits for the database when it could be given from memory; real time. */
const PATIENCE_MS = 300;
/** How long a look may last until another one is begun beside it: a connection can die without a word. Real time. */
const GIVE_UP_MS = 3_000;
/** Projects whose definitions are kept, the least recently used forgotten first. */
const MOST = 2_000;

interface Entry {
  definitions: Definitions | null;
  mark: string | null;
  lookedAt: number;
  failedAt: number;
  /** Counts changes; what was looked up before one is not taken for good after it. */
  changes: number;
  /** `changes` at the last look that went well. */
  good: number;
  looking: Look | null;
}

interface Look {
  found: Promise<Definitions>;
  /** Whether it has lasted so long that answers are given from memory meanwhile. */
  slow: boolean;
}

/** By project, least recently used first. */
type Entries = Map<number, Entry>;

/** What the flags of projects are made of. */
export interface FlagDefinitions {
  /**
   * Those of a project, from memory unless something has changed. While the database is away, as they were before.
   * @throws Error when the database is away and nothing is known yet
   */
  of(projectId: number): Promise<Definitions>;
  /** Has those of a project (null: of all) read again before they are next used. */
  forget(projectId: number | null): void;
  /** Whether these are the definitions of a project as far as its changes are heard of: what was made of others is not to be cached. */
  areCurrent(projectId: number, definitions: Definitions): boolean;
}

type Deps = Pick<Ports, 'db' | 'clock' | 'scheduler' | 'changes' | 'log'>;

export function createFlagDefinitions(deps: Deps, answers: Pick<Answers, 'onChanged'>): FlagDefinitions {
  const entries: Entries = new Map();
  answers.onChanged((projectId) => forgetDefinitions(entries, projectId));
  return {
    of: (projectId) => definitionsOf(deps, entries, projectId),
    forget: (projectId) => forgetDefinitions(entries, projectId),
    areCurrent: (projectId, definitions) => {
      const entry = entries.get(projectId);
      return entry?.definitions === definitions && entry.good === entry.changes;
    },
  };
}

function forgetDefinitions(entries: Entries, projectId: number | null): void {
  const changed = projectId === null ? entries.values() : [entries.get(projectId)];
  for (const entry of changed) {
    if (!entry) continue;
    entry.changes += 1;
    entry.looking = null;
  }
}

async function definitionsOf(deps: Deps, entries: Entries, projectId: number): Promise<Definitions> {
  const entry = entries.get(projectId) ?? newEntry();
  entries.delete(projectId);
  entries.set(projectId, entry);
  const oldest = entries.size > MOST ? entries.keys().next().value : undefined;
  if (oldest !== undefined) entries.delete(oldest);

  const now = deps.clock.now();
  const { definitions } = entry;
  const isChanged = entry.good !== entry.changes || !deps.changes.heard();
  if (definitions) {
    const age = now - entry.lookedAt;
    // a negative age: the clock was set back
    if (entry.good === entry.changes && age >= 0 && age < (deps.changes.heard() ? GOOD_MS : GOOD_UNHEARD_MS)) return definitions;
    if (Math.abs(now - entry.failedAt) < PAUSE_MS) return definitions;
  }
  entry.looking ??= look(deps, projectId, entry);
  const { found } = entry.looking;
  if (!definitions) return found;
  // nothing is known to have changed: whoever comes next will see what the look finds
  if (!isChanged || entry.looking.slow) {
    found.catch(() => {});
    return definitions;
  }
  return unlessSlow(deps, entry.looking, definitions);
}

const newEntry = (): Entry => ({
  definitions: null,
  mark: null,
  lookedAt: Number.NEGATIVE_INFINITY,
  failedAt: Number.NEGATIVE_INFINITY,
  changes: 0,
  good: -1,
  looking: null,
});

function look(deps: Deps, projectId: number, entry: Entry): Look {
  const own: Look = { found: read(deps, projectId, entry), slow: false };
  const ended = () => {
    cancel();
    if (entry.looking === own) entry.looking = null;
  };
  const cancel = deps.scheduler.after(GIVE_UP_MS, ended);
  own.found.then(ended, (error: Error) => {
    ended();
    entry.failedAt = deps.clock.now();
    if (!isConnectionFault(error)) deps.log.error({ err: error, projectId }, 'flags could not be read');
  });
  return own;
}

async function read(deps: Deps, projectId: number, entry: Entry): Promise<Definitions> {
  const { changes } = entry;
  const lookedAt = deps.clock.now();
  // read first: what changes in between is found by the next look
  const mark = await definitionsMark(deps.db, projectId);
  const known = entry.definitions && entry.mark === mark ? entry.definitions : null;
  const definitions = known ?? makeDefinitions(projectId, await loadDefinitionRows(deps.db, projectId));
  if (entry.good > changes) return definitions;
  Object.assign(entry, { definitions, mark, lookedAt, good: changes });
  return definitions;
}

function unlessSlow({ scheduler }: Deps, looking: Look, definitions: Definitions): Promise<Definitions> {
  const found = looking.found.catch(() => definitions);
  return withinTime(scheduler, PATIENCE_MS, found, () => {
    looking.slow = true;
    return definitions;
  });
}
