import type { JsonObject } from '../../kernel/json.js';
import type { GroupRow } from '../../ports/events.js';

/** What one event says of groups: those it belongs to, and the properties of at most one. In the order of the events. */
export interface GroupTask {
  projectId: number;
  /** Epoch milliseconds, UTC. */
  timestamp: number;
  /** `$groups`: group type to key. */
  memberships: Record<string, string>;
  /** Of `$groupidentify`. */
  identify: { type: string; key: string; set: JsonObject } | null;
}

/** The group keys of the event by group type index (0..4); empty text where it has none. */
export type GroupKeys = [string, string, string, string, string];

export interface GroupBatch {
  resolved: GroupKeys[];
  groups: GroupRow[];
  outboxIds: number[];
}
