import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Deps } from '../deps.js';
import { isolate } from '../kernel/isolate.js';
import type { IngestionWarning } from './capture.js';
import { resolveGroups } from './groups/index.js';
import type { GroupAnswer } from './groups/types.js';
import type { Item } from './item.js';
import { resolvePersons } from './persons/index.js';
import type { PersonAnswer } from './persons/types.js';
import { rowHead } from './rows.js';
import { serialize } from './serialize.js';
import { type Draft, type Drop, draftOf } from './stages/index.js';
import { groupTask, personTask } from './tasks.js';
import type { EventLine } from './writer/insert-events.js';
import type { SideRows } from './writer/insert-side-rows.js';

/** The event loop gets a turn after so much work: about 5 ms. */
const TURN_EVENTS = 200;
const TURN_LENGTH = 512 * 1024;

/** An event that came through the stages. */
interface Ready {
  /** null: split off another event, so nobody waits for its answer. */
  item: Item | null;
  draft: Draft;
  /** JSON text of the properties. */
  text: string;
}

/** A row and what it came from. */
export interface Prepared {
  item: Item | null;
  draft: Draft;
  line: EventLine;
}

/** All that the event store must get for a group, and what is to be told about it. */
export interface PreparedGroup {
  rows: Prepared[];
  side: SideRows;
  outboxIds: number[];
  warnings: IngestionWarning[];
  drops: Drop[];
}

/**
 * Takes undecided items through the stages, the persons and the groups. Items that end on the way are decided.
 * Throws what PostgreSQL threw when it is away.
 */
export async function prepare(
  deps: Deps,
  pipeline: (draft: Draft) => Drop | undefined,
  items: readonly Item[],
): Promise<PreparedGroup> {
  const warnings: IngestionWarning[] = [];
  const drops: Drop[] = [];
  const ready: Ready[] = [];

  const end = (item: Item | null, drop: Drop) => {
    drops.push(drop);
    if (item) item.outcome = { uuid: item.event.uuid, result: drop.result, details: drop.details };
  };
  const write = (item: Item | null, draft: Draft) => {
    const text = serialize(draft);
    for (const warning of draft.warnings) warnings.push(warning);
    if (typeof text === 'string') ready.push({ item, draft, text });
    else end(item, text);
    return typeof text === 'string' ? text.length : 0;
  };

  let turnEvents = 0;
  let turnLength = 0;
  for (const item of items) {
    if (item.outcome || item.same) continue;
    const { project, ip, receivedAt } = item.request.capture;
    const draft = draftOf(item.event, project, ip, receivedAt);
    const drop = pipeline(draft);
    if (drop) {
      for (const warning of draft.warnings) warnings.push(warning);
      end(item, drop);
      continue;
    }
    turnLength += write(item, draft);
    for (const split of draft.split) turnLength += write(null, split);
    if (++turnEvents >= TURN_EVENTS || turnLength >= TURN_LENGTH) {
      await nextTurn();
      turnEvents = 0;
      turnLength = 0;
    }
  }

  const [persons, groups] = await Promise.all([
    isolate(
      ready,
      (part) =>
        resolvePersons(
          deps,
          part.map(({ draft }) => personTask(draft)),
        ),
      isDataFault,
    ),
    isolate(
      ready,
      (part) =>
        resolveGroups(
          deps,
          part.map(({ draft }) => groupTask(draft)),
        ),
      isDataFault,
    ),
  ]);
  const personOf = answersOf<PersonAnswer>(persons.results);
  const groupsOf = answersOf<GroupAnswer>(groups.results);
  const insertedAt = deps.clock.now();
  const rows: Prepared[] = [];
  for (const one of ready) {
    const person = personOf.get(one);
    const groupKeys = groupsOf.get(one);
    if (person && groupKeys) {
      const head = rowHead(one.draft, person, groupKeys, insertedAt);
      rows.push({ item: one.item, draft: one.draft, line: { head, properties: one.text, state: 'waiting' } });
    } else {
      deps.log.warn({ projectId: one.draft.project.id, uuid: one.draft.uuid }, 'the database refuses what this event says');
      end(one.item, UNSTORABLE);
    }
  }
  return {
    rows,
    side: {
      persons: persons.results.flatMap(({ result }) => result.persons),
      overrides: persons.results.flatMap(({ result }) => result.overrides),
      groups: groups.results.flatMap(({ result }) => result.groups),
    },
    outboxIds: [
      ...persons.results.flatMap(({ result }) => result.outboxIds),
      ...groups.results.flatMap(({ result }) => result.outboxIds),
    ],
    warnings: [...warnings, ...persons.results.flatMap(({ result }) => result.warnings)],
    drops,
  };
}

/** An event that no store takes in any form. */
export const UNSTORABLE: Drop = { reason: 'unstorable', details: 'unstorable', result: 'drop' };

/** PostgreSQL's classes for values it cannot take: data exception, integrity violation, program limit exceeded. */
function isDataFault(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && code.length === 5 && /^(22|23|54)/.test(code);
}

function answersOf<A>(results: readonly { part: readonly Ready[]; result: { answers: A[] } }[]): Map<Ready, A> {
  const answers = new Map<Ready, A>();
  for (const { part, result } of results) {
    for (const [i, one] of part.entries()) {
      const found = result.answers[i];
      if (found !== undefined) answers.set(one, found);
    }
  }
  return answers;
}
