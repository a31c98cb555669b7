import type { JsonObject } from '../kernel/json.js';
import type { EventCopies } from './event-copies.js';

/** One row of `events`: an event after all stages of ingestion. */
export interface EventRow {
  project_id: number;
  uuid: string;
  event: string;
  distinct_id: string;
  /** The person as known at ingestion; merges afterwards are in `person_overrides`. */
  person_id: string;
  /** `full`: belongs to a stored person. `propertyless`: no profile was made. */
  person_mode: 'full' | 'propertyless';
  /** Epoch milliseconds, UTC. */
  timestamp: number;
  /** When the server ingested it; epoch milliseconds, UTC. */
  inserted_at: number;
  elements_chain: string;
  group_0: string;
  group_1: string;
  group_2: string;
  group_3: string;
  group_4: string;
  properties: JsonObject;
}

/** One row of `persons`: the newest version of a person wins. */
export interface PersonRow {
  project_id: number;
  person_id: string;
  properties: JsonObject;
  is_identified: boolean;
  is_deleted: boolean;
  /** Epoch milliseconds, UTC. */
  created_at: number;
  version: number;
}

/** One row of `person_overrides`: a distinct id whose events belong to another person than they say. */
export interface PersonOverrideRow {
  project_id: number;
  distinct_id: string;
  person_id: string;
  version: number;
}

/** One row of `groups`. */
export interface GroupRow {
  project_id: number;
  group_type_index: number;
  group_key: string;
  properties: JsonObject;
  /** Epoch milliseconds, UTC. */
  created_at: number;
  version: number;
}

export interface EventTables {
  events: EventRow;
  persons: PersonRow;
  person_overrides: PersonOverrideRow;
  groups: GroupRow;
}

/** Properties in the store's own form, which only the store reads. */
export interface EncodedProperties {
  /** Bytes. */
  readonly length: number;
}

/** Properties that were encoded from their JSON text. */
export interface ReadProperties {
  encoded: EncodedProperties;
  names: PropertyNames;
  /** The members that were asked for, as far as the object has them. */
  selected: JsonObject;
  /** Where the text ends. */
  end: number;
  /** Parses the text, whose bytes must not have changed. */
  parse(): JsonObject;
}

/** The names of the members of an object. Objects with the same names in the same order have the same one, for as long as these come often. */
export interface PropertyNames {
  readonly list: readonly { name: string; isNull: boolean }[];
}

/**
 * Encodes properties before their rows are complete: a pipeline that holds hundreds of events keeps bytes, which cost the garbage
 * collector nothing, and no value is serialized twice.
 */
export interface PropertiesCodec {
  /**
   * Encodes an object; null when that takes more than `maxBytes`. `isClean`: no text contains a NUL or half of a surrogate pair, which
   * the store would not return as they were.
   */
  encode(properties: JsonObject, maxBytes: number): { encoded: EncodedProperties; isClean: boolean } | null;
  /**
   * Makes a function that encodes an object from its JSON text without parsing it, for texts that begin at `at` of bytes that are UTF-8. Null: the
   * text has to be parsed, because it has something unusual or is no JSON. What is encoded is clean.
   * @param selected names of members that are returned as values, too
   */
  reader(selected: readonly string[]): (bytes: Buffer, at: number) => ReadProperties | null;
  /** The encoded object with more members, all of them texts. The object must have none of the names, and the names no dots. */
  withTexts(encoded: EncodedProperties, texts: readonly (readonly [name: string, value: string])[]): EncodedProperties;
}

/** An event whose properties may be encoded already. */
export type EventToInsert = Omit<EventRow, 'properties'> & { properties: JsonObject | EncodedProperties };

/** A person with what the store cannot know of the version before. */
export interface PersonToInsert extends PersonRow {
  /** `created_at` of the version before; null: there was none; absent: unknown. It is not stored. */
  previous_created_at?: number | null;
  /** The distinct ids with which a new person was created; absent: unknown. They are not stored with it. */
  first_distinct_ids?: readonly string[];
}

/** A distinct id that was merged, with what the store cannot know of the time before. */
export interface PersonOverrideToInsert extends PersonOverrideRow {
  /** The persons to whom its events belonged before, and maybe others; absent: unknown. They are not stored with it. */
  former_person_ids?: readonly string[];
}

/** The rows that {@link EventsStore.insert} takes. */
export interface RowsToInsert extends Omit<EventTables, 'events' | 'persons' | 'person_overrides'> {
  events: EventToInsert;
  persons: PersonToInsert;
  person_overrides: PersonOverrideToInsert;
}

/**
 * Who waits for a read, the most urgent first. `interactive`: somebody at a screen; `export`: somebody who gets a file later; `background`:
 * nobody, as with results that are renewed before they are too old.
 */
export const WORKLOADS = ['interactive', 'export', 'background'] as const;
export type Workload = (typeof WORKLOADS)[number];

/** The same store, with all reads in a workload. */
export const inWorkload = (events: EventsStore, workload: Workload): EventsStore => ({
  ...events,
  query: (statement) => events.query({ ...statement, workload }),
});

/** A read: ClickHouse SQL with `{name:Type}` placeholders bound from `params`. */
export interface ReadStatement {
  sql: string;
  params?: Record<string, unknown>;
  /** Kills the statement in the engine when aborted. */
  signal?: AbortSignal;
  /** Seconds after which the engine gives up; 60 by default. */
  maxSeconds?: number;
  /**
   * The project whose request this is. An engine with few sessions limits how many of them one project uses, and reserves one for the
   * service itself. Absent: a small read of the service itself, which has no such limit.
   */
  tenant?: number;
  /** Who waits for the result: `interactive` by default. Reads of the other workloads run with one thread, and after interactive ones. */
  workload?: Workload;
  /** Whether the result may lack the newest inserts. The read then does not wait for them. False by default. */
  allowStale?: boolean;
}

export interface ReadResult<Row> {
  rows: Row[];
  columns: { name: string; type: string }[];
}

/** Distinct ids whose events are deleted. */
export interface ErasedIds {
  distinctIds: readonly string[];
  /** Only events ingested up to this time are deleted; epoch milliseconds, UTC. */
  until: number;
}

/** Persons whose profiles are deleted. */
export interface ErasedProfiles {
  /** UUIDs. The row that says that a person was deleted stays; it has no properties. */
  personIds: readonly string[];
  /** Distinct ids whose overrides are deleted: those without events. */
  distinctIds: readonly string[];
  /** Only versions up to this time are deleted; epoch milliseconds, UTC. */
  until: number;
}

/** How far back the events of a project are kept. */
export interface RetentionLimit {
  projectId: number;
  /** Events before this time are deleted; epoch milliseconds, UTC. */
  before: number;
}

/**
 * Versions of a project's data, as opaque texts. While a version is the same, reads of what it covers that begin after it was read return
 * the same.
 */
export interface DataVersion {
  /** Covers everything: it changes when rows of the project are stored or events of it are deleted. */
  whole: string;
  /** Covers the properties of persons and groups. */
  profiles: string;
  /** Looks up the versions of days. @throws EventsUnavailable */
  days(): Promise<DayVersions>;
  /**
   * Looks up, for each UTC day, a version of who came to be on it: of the persons who were created then or, without a profile, had their
   * first event. Other changes of profiles leave it as it is. @throws EventsUnavailable
   */
  births(): Promise<DayVersions>;
}

/** Versions of the events of each day, and of the persons to whom these events belong. */
export interface DayVersions {
  /** @param day the UTC day, in days since 1970-01-01 */
  day(day: number): string;
}

/** A table in the memory of a store. A statement that names it fails (`QueryFailed` 60) once the store's process has ended. */
export interface TableInMemory {
  name: string;
  rows: number;
  bytes: number;
}

/** Rows in the memory of a store of which each depends on the events of one person, and the persons whose events have changed since. */
export interface PersonTables {
  /** Bytes that all tables together may take. */
  readonly maxBytes: number;
  /** The last change of a project, as a number that grows. What is read from now on contains it, and later changes are recorded. */
  lastChange(projectId: number): number;
  /** The persons, as uuids, whose events later changes may have added, moved or removed; null: they may be anybody's. */
  changedSince(projectId: number, change: number): readonly string[] | null;
  /** Stores the rows of a statement in a new table. @throws QueryFailed | EventsUnavailable */
  create(statement: Pick<ReadStatement, 'sql' | 'params'>): Promise<TableInMemory>;
  /** Drops a table, in the background. */
  drop(name: string): void;
}

/** What the event store takes of its disks. */
export interface StoreSpace {
  /** Bytes of the tables of {@link EventTables}, with what merges have replaced and not deleted yet; of all servers of a cluster. */
  eventBytes: number;
  /** Bytes of its logs: those of rows on the way into the tables, and those that a server keeps about itself. */
  logBytes: number;
  /** Bytes until the first disk is full if all are filled alike. */
  freeBytes: number;
}

/** Replicas of a store that copies rows from one to the others, so that each may lack the newest. */
export interface EventReplicas {
  /**
   * Runs a read on each replica that answers; a row may come more than once. `lacking`: for how many seconds one that does not answer may
   * have had rows of the last ten minutes that the others lack; 0: it has none, Infinity: nobody knows. `unsettled`: rows that fewer replicas
   * returned than an insert needs; the store may still remove them.
   * @throws EventsUnavailable no replica of a shard answers
   */
  query<Row>(statement: ReadStatement): Promise<{ rows: Row[]; unsettled: Row[]; lacking: number }>;
  /** For how many seconds rows have been waiting to be copied; 0: none are, Infinity: nobody knows. */
  waiting(): Promise<number>;
  /**
   * Waits for some seconds until the inserts of events that run now have ended: they go on without the server that sent them. Returns for
   * how many seconds the oldest one has run that is left, or a node has been silent that may run one; 0: none is left.
   */
  settled(): Promise<number>;
}

/**
 * Writes merges of persons into the stored events, and deletes their overrides once no event needs them any more. Answers stay the same
 * meanwhile. Why that is safe: docs/decisions/0084-merges-are-applied.md
 */
export interface AppliedMerges {
  /** The projects with at least so many overridden distinct ids, and those that are being worked on. */
  projects(least: number): Promise<number[]>;
  /**
   * Takes the next step with a project, if it is time for it. Mutations go on in the background: call it again every few minutes. Never
   * call it twice at once. @throws EventsUnavailable
   */
  advance(projectId: number): Promise<void>;
  /** Overridden distinct ids at the last call of `projects`, and those whose overrides were deleted since the start. */
  counts(): { stored: number; applied: number };
}

/** How rows are inserted. */
export interface InsertOptions {
  token: string;
  /**
   * The scheduler's uptime before the persons of events, or the newest persons of distinct ids, were read. A store that has applied what is
   * newer refuses the rows as unavailable. Absent: just now.
   */
  readAt?: number;
  /** Whether nobody waits for the rows, so that they leave capacity for others. False by default. */
  isBackground?: boolean;
}

/** The event store (ClickHouse or its embedded build). */
export interface EventsStore {
  /** Runs one read statement; 64-bit integers come back as numbers. */
  query<Row>(statement: ReadStatement): Promise<ReadResult<Row>>;
  /** The names by which ClickHouse's row filters find the tables of {@link EventTables}. */
  readonly rowFilterTables: readonly string[];
  readonly codec: PropertiesCodec;
  /** Null: there are none, and a read finds what was stored before. With replicas the token of an insert outlives each of them. */
  readonly replicas: EventReplicas | null;
  /**
   * Inserts rows. Resolves when they are durable and visible to queries, with the rows that the table refuses in any form, which are not
   * stored; a row that is refused for its properties is stored with them as text (`$raw_properties`). A store with a write-ahead log
   * learns of refused rows later, and keeps them in a file.
   *
   * The same rows with the same `token` within the engine's window are stored once, also where a part of them was stored before.
   * @throws EventsUnavailable the store does not respond, and may or may not have stored some of the rows; try again
   * @throws EventsFull the disk is full; some of the rows may be stored
   */
  insert<Table extends keyof RowsToInsert>(
    table: Table,
    rows: readonly RowsToInsert[Table][],
    options: InsertOptions,
  ): Promise<RowsToInsert[Table][]>;
  /**
   * Deletes all rows of a project for good, also from the disk, in the background. Resolves with whether none are left; the caller
   * repeats the call until then.
   */
  deleteProject(projectId: number): Promise<boolean>;
  /** As {@link deleteProject}, of events alone; 5,000 distinct ids at most. It changes the versions of the days that lose events. */
  deleteEvents(projectId: number, erased: readonly ErasedIds[]): Promise<boolean>;
  /** As {@link deleteProject}, of what is known about persons who were deleted before; 5,000 ids of each kind at most. */
  deleteProfiles(projectId: number, erased: readonly ErasedProfiles[]): Promise<boolean>;
  /** As {@link deleteEvents}, of the events whose retention is over; 1,000 projects at most. */
  deleteEventsBefore(limits: readonly RetentionLimit[]): Promise<boolean>;
  /** Absent: the store keeps all overrides, since several services write to it. */
  readonly merges?: AppliedMerges;
  /**
   * Versions of the data of a project. Deleting the project does not change them.
   * @throws EventsUnavailable
   */
  dataVersion(projectId: number): Promise<DataVersion>;
  /** Absent: other processes write to the store, so nobody knows whose events change. */
  readonly personTables?: PersonTables;
  /** Copies whole rows out and in. */
  readonly copies: EventCopies;
  /** Measures what it takes of its disks. @throws EventsUnavailable */
  space(): Promise<StoreSpace>;
  /** Whether inserts complete soon at present. If not, a caller should reject requests instead of queueing them. */
  acceptsInserts(): boolean;
  /** Resolves with the engine's version. @throws EventsUnavailable */
  ping(): Promise<{ version: string }>;
  close(): Promise<void>;
}

export class EventsUnavailable extends Error {
  override name = 'EventsUnavailable';
}
export class EventsFull extends Error {
  override name = 'EventsFull';
}
/** The statement itself is at fault (syntax, types, limits); `code` is ClickHouse's error number. */
export class QueryFailed extends Error {
  override name = 'QueryFailed';
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}
