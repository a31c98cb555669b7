import type { Deps } from '../deps.js';
import { bisectRejected } from '../kernel/bisect.js';
import type { JsonObject } from '../kernel/json.js';
import { sqlState } from '../kernel/sql.js';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.js';
import type { EncodedProperties, PropertiesCodec } from '../ports/events.js';
import type { IngestionWarning } from './capture.js';
import { resolveGroups } from './groups/index.js';
import type { GroupAnswer, GroupTask } from './groups/types.js';
import { resolvePersons } from './identities/index.js';
import type { PersonAnswer, PersonTask } from './identities/types.js';
import type { Item } from './item.js';
import { eventRow } from './rows.js';
import { serialize } from './serialize.js';
import { type Draft, type Drop, draftOf } from './stages/index.js';
import { groupTask, personTask } from './tasks.js';
import type { Definitions } from './taxonomy/index.js';
import type { EventLine } from './writer/insert-events.js';
import type { SideRows } from './writer/insert-side-rows.js';

/** The event loop gets a turn after so much work: about 3 ms. */
const TURN_EVENTS = 100;
const TURN_LENGTH = 256 * 1024;

/** An event that came through the stages, as bytes: hundreds of these are kept while the stores are asked. */
interface Ready {
  /** null: split off another event, so nobody waits for its answer. */
  item: Item | null;
  /** Without its properties. */
  draft: Draft;
  /** The properties in the event store's own form. */
  encoded: EncodedProperties;
  /** The properties when somebody is to hear of them: most events hold nothing new. */
  news: JsonObject | null;
  personTask: PersonTask;
  groupTask: GroupTask;
  /** Null until it is known, and when the database refuses the event. */
  person: PersonAnswer | null;
  groups: GroupAnswer | null;
}

/** A group's events that came through the stages, and what is to be told about the others. */
export interface StagedGroup {
  ready: Ready[];
  warnings: IngestionWarning[];
  drops: Drop[];
}

/** A row and what it came from. */
export interface Prepared {
  item: Item | null;
  line: EventLine;
  /** The properties when somebody is to hear of them: most events hold nothing new. */
  news: JsonObject | null;
}

/** All that the event store must get for a group, and what is to be told about it. */
export interface PreparedGroup {
  rows: Prepared[];
  side: SideRows;
  outboxIds: number[];
  warnings: IngestionWarning[];
  drops: Drop[];
}

/** Takes undecided items through the stages. Items that end on the way are decided. */
export async function takeThroughStages(
  {
    pipeline,
    hasNews,
    codec,
  }: { pipeline: (draft: Draft) => Drop | undefined; hasNews: Definitions['hasNews']; codec: PropertiesCodec },
  items: readonly Item[],
): Promise<StagedGroup> {
  const warnings: IngestionWarning[] = [];
  const drops: Drop[] = [];
  const ready: Ready[] = [];

  const write = (item: Item | null, draft: Draft) => {
    const encoded = serialize(draft, codec);
    for (const warning of draft.warnings) warnings.push(warning);
    if ('reason' in encoded) {
      end(drops, item, encoded);
      return 0;
    }
    const news = hasNews(draft.project.id, draft.event, draft.properties) ? draft.properties : null;
    ready.push({
      item,
      draft,
      encoded,
      news,
      personTask: personTask(draft),
      groupTask: groupTask(draft),
      person: null,
      groups: null,
    });
    // from here on the bytes stand for them, which the garbage collector need not walk
    draft.properties = {};
    if (item) item.event.properties = draft.properties;
    return encoded.length;
  };

  let turnEvents = 0;
  let turnLength = 0;
  for (const item of items) {
    if (item.outcome || item.same || item.error) continue;
    const { project, ip, receivedAt } = item.request.capture;
    const draft = draftOf(item.event, project, ip, receivedAt);
    const drop = pipeline(draft);
    if (drop) {
      for (const warning of draft.warnings) warnings.push(warning);
      end(drops, item, drop);
      continue;
    }
    turnLength += write(item, draft);
    for (const split of draft.split) turnLength += write(null, split);
    if (++turnEvents >= TURN_EVENTS || turnLength >= TURN_LENGTH) {
      await yieldToEventLoop();
      turnEvents = 0;
      turnLength = 0;
    }
  }

  return { ready, warnings, drops };
}

/**
 * Follows the persons and groups of the events, one group of events after another. Items that the database refuses are decided.
 * Throws what PostgreSQL threw when it is away.
 */
export async function resolve(deps: Deps, { ready, warnings, drops }: StagedGroup): Promise<PreparedGroup> {
  const [persons, groups] = await Promise.all([
    bisectRejected(ready, (part) => resolvePersons(deps, part.map(taskOfPerson)), isDataFault),
    bisectRejected(ready, (part) => resolveGroups(deps, part.map(taskOfGroups)), isDataFault),
  ]);
  for (const { part, result } of persons.results) {
    for (const [i, one] of part.entries()) one.person = result.answers[i] ?? null;
  }
  for (const { part, result } of groups.results) {
    for (const [i, one] of part.entries()) one.groups = result.answers[i] ?? null;
  }
  const insertedAt = deps.clock.now();
  const rows: Prepared[] = [];
  for (const { item, draft, encoded, news, person, groups } of ready) {
    if (person && groups) {
      const properties = withGroupKeys(deps.events.codec, encoded, groups);
      rows.push({ item, news, line: { row: eventRow(draft, { person, groups, insertedAt, properties }), state: 'waiting' } });
    } else {
      deps.log.warn({ projectId: draft.project.id, uuid: draft.uuid }, 'the database refuses what this event says');
      end(drops, item, UNSTORABLE);
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

/** The encoded properties of an event, with the keys of its groups as `$group_0` to `$group_4`. */
function withGroupKeys(codec: PropertiesCodec, encoded: EncodedProperties, groups: GroupAnswer): EncodedProperties {
  const keys = groups.flatMap((key, index) => (key === '' ? [] : [[`$group_${index}`, key] as const]));
  return keys.length === 0 ? encoded : codec.withTexts(encoded, keys);
}

function end(drops: Drop[], item: Item | null, drop: Drop): void {
  drops.push(drop);
  if (item) item.outcome = { uuid: item.event.uuid, result: drop.result, details: drop.details };
}

const taskOfPerson = (one: Ready) => one.personTask;
const taskOfGroups = (one: Ready) => one.groupTask;

/** An event that no store takes in any form. */
export const UNSTORABLE: Drop = { reason: 'unstorable', details: 'unstorable', result: 'drop' };

/** PostgreSQL's classes for values it cannot take: data exception, integrity violation, program limit exceeded. */
function isDataFault(error: unknown): boolean {
  return /^(22|23|54)...$/.test(sqlState(error));
}
