import type { JsonObject } from '../../kernel/json.js';
import type { GroupRow } from '../../ports/events.js';

/** The part of one event that concerns groups: its memberships, and the properties of at most one group. Tasks stand in the order of the events. */
export interface GroupTask {
  projectId: number;
  /** Epoch milliseconds, UTC. */
  timestamp: number;
  /** `$groups`: group type to key. */
  memberships: Record<string, string>;
  /** The group of a `$groupidentify` event. */
  identify: { type: string; key: string; set: JsonObject } | null;
}

/** The group keys of the event by group type index (0..4); empty text where it has none. */
export type GroupKeys = [string, string, string, string, string];

export interface GroupBatch {
  resolved: GroupKeys[];
  groups: GroupRow[];
  outboxIds: number[];
}
