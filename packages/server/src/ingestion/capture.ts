import type { ProjectByKey } from '../auth/index.js';
import type { Deps, Ports } from '../deps.js';
import type { JsonObject } from '../kernel/json.js';
import type { GroupRow, PersonRow } from '../ports/events.js';
import type { Scheduler } from '../ports/system.js';
import type { PlainProperties } from './plain-properties.js';
import type { StorageFault } from './storage-faults.js';

/** One decoded event, whatever its protocol: validated, with corrected time, not enriched yet. */
export interface CapturedEvent {
  /** As sent, or a new UUIDv7 if the client sent none. */
  uuid: string;
  /** Whether the client chose the uuid: only then can a retry be recognized. */
  hasClientUuid: boolean;
  event: string;
  distinctId: string;
  /** Epoch milliseconds, UTC, corrected for the client's clock. */
  timestamp: number;
  /**
   * Epoch milliseconds by the client's clock, as sent. Equal on every retry, unlike `timestamp`, which a stale `sent_at` shifts. Absent when
   * the client sent none.
   */
  clientTime?: number;
  /** Includes the top-level `$set` and `$set_once`; excludes `token` and `distinct_id`. */
  properties: JsonObject;
  /** The properties, if they are encoded already; `properties` has none then. */
  plain?: PlainProperties;
  /** Set by the intake: each stage of its work takes some milliseconds. */
  isLarge?: true;
}

/** The events of one request. */
export interface Capture {
  project: ProjectByKey;
  /** The client's address, for `$ip` and GeoIP. */
  ip: string;
  /** Epoch milliseconds, UTC: when the request arrived. */
  receivedAt: number;
  events: CapturedEvent[];
  /** Warnings of decoding, such as unreadable timestamps. */
  warnings?: IngestionWarning[];
  /** Of another system's past: its work yields to that of all other captures. */
  isHistorical?: boolean;
}

/** Why an event was not stored as an event. A closed list, the labels of a metric. */
export type DropReason =
  | 'performance_event'
  | 'snapshot'
  | 'client_ingestion_warning'
  | 'cookieless_off'
  | 'duplicate'
  | 'person_processing_required'
  | 'message_size_too_large'
  | 'unstorable';

/** Result of one event; outcomes stand in the order of the events. `ok`: it is stored. */
export type Outcome = { uuid: string; result: 'ok' } | { uuid: string; result: 'drop' | 'warning'; details: string };

/** What the intake needs. It is a service itself, so it gets only those that are created before it. */
export type IntakeDeps = Ports & {
  readonly services: Pick<Deps['services'], 'caches' | 'groupTypes' | 'locate' | 'personProperties'>;
};

/** The entrance of the pipeline: resolves when every event of a capture is stored, or dropped for a reason. */
export interface Intake {
  /**
   * @throws QueueFull the queue is full; nothing was stored
   * @throws EventsUnavailable | EventsFull a store is unavailable or full; a retry with the same uuids is safe
   */
  capture(capture: Capture): Promise<Outcome[]>;
  /** Adds properties of persons and groups that were stored without an event to the lists of names. */
  define(rows: { persons: readonly PersonRow[]; groups: readonly GroupRow[] }): void;
  /**
   * For health checks: age of the oldest request (milliseconds, 0 when idle), queued events, those among them that are not historical, and
   * why captures are refused at present (null: they are not).
   */
  state(): { lagMs: number; waitingEvents: number; liveEvents: number; refusing: StorageFault | null };
  /** For the decoding of histories: yields to all other work, and pauses while captures that are not historical wait for their answers. */
  readonly background: Scheduler;
  /** Rejects new captures and finishes the queued ones. */
  close(): Promise<void>;
}

/** A problem with the data of a project, for its users; listed by the ingestion-warnings API. */
export interface IngestionWarning {
  projectId: number;
  type:
    | 'cannot_merge_with_illegal_distinct_id'
    | 'cannot_merge_already_identified'
    | 'invalid_event_when_process_person_profile_is_false'
    | 'event_timestamp_in_future'
    | 'ignored_invalid_timestamp'
    | 'message_size_too_large'
    | 'client_ingestion_warning';
  details: JsonObject;
}
