import type { ProjectByKey } from '../auth/index.js';
import type { JsonObject } from '../kernel/json.js';
import type { StorageFault } from './storage-faults.js';

/** One event as decoded from any of the protocol's shapes: checked, its time corrected, nothing enriched yet. */
export interface CapturedEvent {
  /** As sent, or made by us (UUIDv7) when the client sent none. */
  uuid: string;
  /** Whether the client chose the uuid: only then can a retry be told from a new event. */
  hasClientUuid: boolean;
  event: string;
  distinctId: string;
  /** Epoch milliseconds, UTC, corrected for the client's clock. */
  timestamp: number;
  /**
   * Epoch milliseconds: the time of the event by the client's own clock, as it was sent. Unlike `timestamp` it is the same
   * on every retry (a stale `sent_at` shifts the corrected one). Absent when the client sent none.
   */
  clientTime?: number;
  /** With the top-level `$set` and `$set_once` folded in; without token and distinct_id. */
  properties: JsonObject;
}

/** What one request brought. */
export interface Capture {
  project: ProjectByKey;
  /** The client's address, for `$ip` and geography. */
  ip: string;
  /** Epoch milliseconds, UTC: when the request arrived. */
  receivedAt: number;
  events: CapturedEvent[];
  /** What decoding found worth telling (times that could not be read). */
  warnings?: IngestionWarning[];
}

/** Why an event was not stored as an event. A closed list: each is counted. */
export type DropReason =
  | 'performance_event'
  | 'snapshot'
  | 'client_ingestion_warning'
  | 'duplicate'
  | 'person_processing_required'
  | 'message_size_too_large'
  | 'unstorable';

/** What became of one event, in the order they were sent. `ok`: it is stored. */
export type Outcome = { uuid: string; result: 'ok' } | { uuid: string; result: 'drop' | 'warning'; details: string };

/** Takes captures and answers when every event of one is stored or dropped for a reason. */
export interface Intake {
  /**
   * @throws QueueFull too much is waiting; nothing was stored
   * @throws EventsUnavailable | EventsFull the stores cannot take it now; a retry with the same uuids is safe
   */
  capture(capture: Capture): Promise<Outcome[]>;
  /**
   * For health: how long the oldest waiting request has waited (ms, 0 when none waits), how many events wait, and why captures are
   * refused at present.
   */
  state(): { lagMs: number; waitingEvents: number; refusing: StorageFault | null };
  /** Takes nothing new, finishes what is waiting. */
  close(): Promise<void>;
}

/** Something about the data that the project's people should know; listed by the ingestion-warnings API. */
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
