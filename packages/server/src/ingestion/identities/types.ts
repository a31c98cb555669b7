import type { JsonObject } from '../../kernel/json.js';
import type { PersonOverrideRow, PersonRow } from '../../ports/events.js';
import type { IngestionWarning } from '../capture.js';
import type { Passing } from '../passing.js';

/** What one event asks of the persons: who it belongs to, and what it changes about them. In the order of the events. */
export interface PersonTask {
  projectId: number;
  distinctId: string;
  event: string;
  uuid: string;
  /** Epoch milliseconds, UTC: becomes a new person's created_at. */
  timestamp: number;
  /** false: `$process_person_profile: false` was sent. */
  processProfile: boolean;
  /** Set under what {@link set} says, and once as first values. */
  passing: Passing;
  set: JsonObject;
  setOnce: JsonObject;
  unset: string[];
  /** For `$identify` with `$anon_distinct_id`, `$create_alias` and `$merge_dangerously`: whose person is merged into this one's. */
  merge: { source: string; force: boolean } | null;
  /** A merge-type event: marks the person identified even when nothing is merged. */
  identifies: boolean;
}

export interface PersonAnswer {
  personId: string;
  mode: 'full' | 'propertyless';
}

/** What came of a batch: one answer per task, and the rows that the event store must now get. */
export interface PersonBatch {
  answers: PersonAnswer[];
  persons: PersonRow[];
  overrides: PersonOverrideRow[];
  warnings: IngestionWarning[];
  /** Rows of `analytics_outbox` to delete once the rows above are in the event store. */
  outboxIds: number[];
}
