import type { Deps } from '../deps.js';
import { bisectRejected } from '../kernel/bisect.js';
import type { JsonObject } from '../kernel/json.js';
import { sqlState } from '../kernel/sql.js';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.js';
import type { EncodedProperties, PropertiesCodec } from '../ports/events.js';
import type { IngestionWarning } from './capture.js';
import { resolveGroups } from './groups/index.js';
import type { GroupKeys, GroupTask } from './groups/types.js';
import { resolvePersons } from './identities/index.js';
import type { PersonTask, ResolvedPerson } from './identities/types.js';
import type { Item } from './item.js';
import { eventRow } from './rows.js';
import { serialize } from './serialize.js';
import { createEventContext, type EventContext, type Rejection } from './stages/index.js';
import { groupTask, personTask } from './tasks.js';
import type { Definitions } from './taxonomy/index.js';
import type { DimensionRows } from './writer/insert-dimension-rows.js';
import type { InsertRow } from './writer/insert-events.js';

/** The event loop gets a turn after so much work: about 3 ms. */
const TURN_EVENTS = 100;
const TURN_LENGTH = 256 * 1024;

/** An event that came through the stages, as bytes: hundreds of these are kept while the stores are asked. */
interface StagedEvent {
  /** null: derived from another event, so nobody waits for its answer. */
  item: Item | null;
  /** Without its properties. */
  context: EventContext;
  /** The properties in the event store's own form. */
  encoded: EncodedProperties;
  /** The properties when somebody is to hear of them: most events hold nothing new. */
  unseen: JsonObject | null;
  personTask: PersonTask;
  groupTask: GroupTask;
  /** Null until it is known, and when the database refuses the event. */
  person: ResolvedPerson | null;
  groups: GroupKeys | null;
}

/** A group's events that came through the stages, and what is to be told about the others. */
export interface StagedGroup {
  staged: StagedEvent[];
  warnings: IngestionWarning[];
  rejections: Rejection[];
}

/** A row and what it came from. */
export interface PreparedRow {
  item: Item | null;
  insert: InsertRow;
  /** The properties when somebody is to hear of them: most events hold nothing new. */
  unseen: JsonObject | null;
}

/** All that the event store must get for a group, and what is to be told about it. */
export interface PreparedGroup {
  rows: PreparedRow[];
  dimensions: DimensionRows;
  outboxIds: number[];
  warnings: IngestionWarning[];
  rejections: Rejection[];
}

/** Takes undecided items through the stages. Items that a stage rejects are decided. */
export async function runStages(
  {
    pipeline,
    hasUnseen,
    codec,
  }: { pipeline: (context: EventContext) => Rejection | undefined; hasUnseen: Definitions['hasUnseen']; codec: PropertiesCodec },
  items: readonly Item[],
): Promise<StagedGroup> {
  const warnings: IngestionWarning[] = [];
  const rejections: Rejection[] = [];
  const staged: StagedEvent[] = [];

  const write = (item: Item | null, context: EventContext) => {
    const encoded = serialize(context, codec);
    for (const warning of context.warnings) warnings.push(warning);
    if ('reason' in encoded) {
      reject(rejections, item, encoded);
      return 0;
    }
    const unseen = hasUnseen(context.project.id, context.event, context.properties) ? context.properties : null;
    staged.push({
      item,
      context,
      encoded,
      unseen,
      personTask: personTask(context),
      groupTask: groupTask(context),
      person: null,
      groups: null,
    });
    // from here on the bytes stand for them, which the garbage collector need not walk
    context.properties = {};
    if (item) item.event.properties = context.properties;
    return encoded.length;
  };

  let turnEvents = 0;
  let turnLength = 0;
  for (const item of items) {
    if (item.outcome || item.duplicateOf || item.error) continue;
    const { project, ip, receivedAt } = item.request.capture;
    const context = createEventContext(item.event, project, ip, receivedAt);
    const rejection = pipeline(context);
    if (rejection) {
      for (const warning of context.warnings) warnings.push(warning);
      reject(rejections, item, rejection);
      continue;
    }
    turnLength += write(item, context);
    for (const derived of context.derived) turnLength += write(null, derived);
    if (++turnEvents >= TURN_EVENTS || turnLength >= TURN_LENGTH) {
      await yieldToEventLoop();
      turnEvents = 0;
      turnLength = 0;
    }
  }

  return { staged, warnings, rejections };
}

/**
 * Follows the persons and groups of the events, one group of events after another. Items that the database refuses are decided.
 * Throws what PostgreSQL threw when it is away.
 */
export async function resolve(deps: Deps, { staged, warnings, rejections }: StagedGroup): Promise<PreparedGroup> {
  const [persons, groups] = await Promise.all([
    bisectRejected(staged, (part) => resolvePersons(deps, part.map(taskOfPerson)), isDataFault),
    bisectRejected(staged, (part) => resolveGroups(deps, part.map(taskOfGroups)), isDataFault),
  ]);
  for (const { part, result } of persons.results) {
    for (const [i, one] of part.entries()) one.person = result.resolved[i] ?? null;
  }
  for (const { part, result } of groups.results) {
    for (const [i, one] of part.entries()) one.groups = result.resolved[i] ?? null;
  }
  const insertedAt = deps.clock.now();
  const rows: PreparedRow[] = [];
  for (const { item, context, encoded, unseen, person, groups } of staged) {
    if (person && groups) {
      const properties = withGroupKeys(deps.events.codec, encoded, groups);
      rows.push({
        item,
        unseen,
        insert: { row: eventRow(context, { person, groups, insertedAt, properties }), state: 'waiting' },
      });
    } else {
      deps.log.warn({ projectId: context.project.id, uuid: context.uuid }, 'the database refuses what this event says');
      reject(rejections, item, UNSTORABLE);
    }
  }
  return {
    rows,
    dimensions: {
      persons: persons.results.flatMap(({ result }) => result.persons),
      overrides: persons.results.flatMap(({ result }) => result.overrides),
      groups: groups.results.flatMap(({ result }) => result.groups),
    },
    outboxIds: [
      ...persons.results.flatMap(({ result }) => result.outboxIds),
      ...groups.results.flatMap(({ result }) => result.outboxIds),
    ],
    warnings: [...warnings, ...persons.results.flatMap(({ result }) => result.warnings)],
    rejections,
  };
}

/** The encoded properties of an event, with the keys of its groups as `$group_0` to `$group_4`. */
function withGroupKeys(codec: PropertiesCodec, encoded: EncodedProperties, groups: GroupKeys): EncodedProperties {
  const keys = groups.flatMap((key, index) => (key === '' ? [] : [[`$group_${index}`, key] as const]));
  return keys.length === 0 ? encoded : codec.withTexts(encoded, keys);
}

function reject(rejections: Rejection[], item: Item | null, rejection: Rejection): void {
  rejections.push(rejection);
  if (item) item.outcome = { uuid: item.event.uuid, result: rejection.result, details: rejection.details };
}

const taskOfPerson = (one: StagedEvent) => one.personTask;
const taskOfGroups = (one: StagedEvent) => one.groupTask;

/** An event that no store takes in any form. */
export const UNSTORABLE: Rejection = { reason: 'unstorable', details: 'unstorable', result: 'drop' };

/** PostgreSQL's classes for values it cannot take: data exception, integrity violation, program limit exceeded. */
function isDataFault(error: unknown): boolean {
  return /^(22|23|54)...$/.test(sqlState(error));
}
