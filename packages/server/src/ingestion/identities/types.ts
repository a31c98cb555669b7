import type { JsonObject } from '../../kernel/json.js';
import type { PersonOverrideRow, PersonRow } from '../../ports/events.js';
import type { IngestionWarning } from '../capture.js';
import type { DeviceProperties } from '../device-properties.js';

/** The part of one event that concerns persons: its distinct id, and what it changes. Tasks stand in the order of the events. */
export interface PersonTask {
  projectId: number;
  distinctId: string;
  event: string;
  uuid: string;
  /** Epoch milliseconds, UTC: becomes a new person's created_at. */
  timestamp: number;
  /** false: `$process_person_profile: false` was sent. */
  processProfile: boolean;
  /** Applied before {@link set}, and once as `$initial_*` values. */
  device: DeviceProperties;
  set: JsonObject;
  setOnce: JsonObject;
  unset: string[];
  /** For `$identify` with `$anon_distinct_id`, `$create_alias` and `$merge_dangerously`: whose person is merged into this one's. */
  merge: { source: string; force: boolean } | null;
  /** A merge-type event: marks the person identified even when nothing is merged. */
  identifies: boolean;
}

export interface ResolvedPerson {
  personId: string;
  mode: 'full' | 'propertyless';
}

/** Result of a batch: one resolved person per task, and the rows to copy to the event store. */
export interface PersonBatch {
  resolved: ResolvedPerson[];
  persons: PersonRow[];
  overrides: PersonOverrideRow[];
  warnings: IngestionWarning[];
  /** Rows of `analytics_outbox` to delete once the rows above are in the event store. */
  outboxIds: number[];
}
