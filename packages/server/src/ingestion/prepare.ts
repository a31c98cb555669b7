import { bisectRejected } from '../kernel/bisect.js';
import type { JsonObject } from '../kernel/json.js';
import { sqlState } from '../kernel/sql.js';
import type { EncodedProperties, PropertiesCodec } from '../ports/events.js';
import type { Scheduler } from '../ports/system.js';
import type { IngestionWarning, IntakeDeps } from './capture.js';
import { resolveGroups } from './groups/index.js';
import type { GroupKeys, GroupTask } from './groups/resolve.js';
import { resolvePersons } from './identities/index.js';
import type { PersonTask, ResolvedPerson } from './identities/person-task.js';
import type { Item } from './item.js';
import { eventRow, fit, serialize } from './rows.js';
import { createEventContext, type EventContext, putPlain, type Rejection } from './stages/index.js';
import { groupTask, personTask } from './tasks.js';
import type { Definitions } from './taxonomy/index.js';
import type { DimensionRows, InsertRow } from './writer/insert-events.js';

/** Work between two yields to the event loop, in events and in bytes of properties and elements: about 3 ms. */
const TURN_EVENTS = 100;
const TURN_LENGTH = 256 * 1024;

/** An event after the stages, with encoded properties: hundreds of these are in memory while the stores answer. */
interface StagedEvent {
  /** null: derived from another event, so no request waits for its outcome. */
  item: Item | null;
  /** Without its properties. */
  context: EventContext;
  /** The properties in the event store's encoding. */
  encoded: EncodedProperties;
  /** The properties if a listener or the taxonomy needs them; null for most events, which contain nothing unseen. */
  unseen: JsonObject | null;
  personTask: PersonTask;
  groupTask: GroupTask;
  /** null until resolved, and if the database refuses the event. */
  person: ResolvedPerson | null;
  groups: GroupKeys | null;
}

/** The events of a group that passed the stages, and the rejections of the others. */
export interface StagedGroup {
  staged: StagedEvent[];
  warnings: IngestionWarning[];
  rejections: Rejection[];
}

/** A row to insert and its source. */
export interface PreparedRow {
  item: Item | null;
  insert: InsertRow;
  /** The properties if a listener or the taxonomy needs them; null for most events, which contain nothing unseen. */
  unseen: JsonObject | null;
}

/** All rows of a group for the event store, with its warnings and rejections. */
export interface PreparedGroup {
  rows: PreparedRow[];
  dimensions: DimensionRows;
  outboxIds: number[];
  warnings: IngestionWarning[];
  rejections: Rejection[];
}

/** Runs the stages on items without an outcome. Rejected items get their outcome. */
export async function runStages(
  {
    pipeline,
    hasUnseen,
    hasUnseenNames,
    codec,
    scheduler,
  }: {
    pipeline: (context: EventContext) => Rejection | undefined;
    hasUnseen: Definitions['hasUnseen'];
    hasUnseenNames: Definitions['hasUnseenNames'];
    codec: PropertiesCodec;
    scheduler: Scheduler;
  },
  items: readonly Item[],
): Promise<StagedGroup> {
  const warnings: IngestionWarning[] = [];
  const rejections: Rejection[] = [];
  const staged: StagedEvent[] = [];

  const write = (item: Item | null, context: EventContext) => {
    const plain = item?.event.plain;
    const encoded = plain ? plain.encoded : serialize(context, codec);
    for (const warning of context.warnings) warnings.push(warning);
    if ('reason' in encoded) {
      reject(rejections, item, encoded);
      return 0;
    }
    const { project, event, properties } = context;
    const isUnseen = plain ? hasUnseenNames(project.id, event, plain.names) : hasUnseen(project.id, event, properties);
    const unseen = isUnseen ? (plain?.parse() ?? properties) : null;
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
    // From here on only the bytes are needed; the garbage collector need not traverse them.
    context.properties = {};
    if (item) item.event.properties = context.properties;
    return encoded.length + context.elementsChain.length;
  };

  let turnEvents = 0;
  let turnLength = 0;
  for (const item of items) {
    if (item.outcome || item.duplicateOf || item.error) continue;
    const { project, ip, receivedAt } = item.request.capture;
    const context = createEventContext(item.event, project, ip, receivedAt);
    const { plain, isLarge } = item.event;
    // what is done to a large event takes a turn for each of its parts
    if (isLarge) await scheduler.yield();
    const rejection = plain ? putPlain(context, plain) : pipeline(context);
    if (rejection) {
      for (const warning of context.warnings) warnings.push(warning);
      reject(rejections, item, rejection);
      continue;
    }
    if (!plain) fit(context);
    if (isLarge) await scheduler.yield();
    turnLength += write(item, context);
    for (const derived of context.derived) {
      fit(derived);
      turnLength += write(null, derived);
    }
    if (++turnEvents >= TURN_EVENTS || turnLength >= TURN_LENGTH) {
      await scheduler.yield();
      turnEvents = 0;
      turnLength = 0;
    }
  }

  return { staged, warnings, rejections };
}

/**
 * Resolves the persons and groups of the events. Items that the database refuses get their outcome.
 * @throws the database's error when PostgreSQL is unavailable
 */
export async function resolve(deps: IntakeDeps, { staged, warnings, rejections }: StagedGroup): Promise<PreparedGroup> {
  const readAt = deps.scheduler.uptime();
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
      readAt,
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

/** Rejection of an event that a store refuses in any form. */
export const UNSTORABLE: Rejection = { reason: 'unstorable', details: 'unstorable', result: 'drop' };

/** PostgreSQL's error classes for unacceptable values: data exception, integrity violation, program limit exceeded. */
function isDataFault(error: unknown): boolean {
  return /^(22|23|54)...$/.test(sqlState(error));
}
