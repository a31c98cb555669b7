import { distinctIdText } from '../../http/sdk/index.js';
import type { JsonObject } from '../../kernel/json.js';
import { nameUuid } from '../../name-uuid.js';
import type { PersonOverrideToInsert, PersonRow } from '../../ports/events.js';
import type { IngestionWarning } from '../capture.js';
import type { DeviceProperties } from '../device-properties.js';
import { cleanText } from '../storable.js';
import { idKey } from './unit-of-work.js';

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
  overrides: PersonOverrideToInsert[];
  warnings: IngestionWarning[];
  /** Rows of `analytics_outbox` to delete once the rows above are in the event store. */
  outboxIds: number[];
  /** The scheduler's uptime before the persons were read. */
  readAt: number;
}

/** A task with its ids in stored form (cut, without characters that PostgreSQL refuses). */
export interface NormalizedTask {
  task: PersonTask;
  distinctId: string;
  key: string;
  /** The id to merge with; null: no merge. */
  source: { distinctId: string; key: string } | null;
  /** Whether the task can change a person, so that the person's properties must be loaded. */
  mayChange: boolean;
}

/** Events about pages and errors: they never update the person. */
const NEVER_UPDATES = new Set(['$exception', '$$heatmap']);

export function normalizeTask(task: PersonTask): NormalizedTask {
  const { projectId, processProfile } = task;
  const distinctId = idText(task.distinctId);
  const source = processProfile && task.merge ? idText(task.merge.source) : null;
  return {
    task,
    distinctId,
    key: idKey(projectId, distinctId),
    source: source === null ? null : { distinctId: source, key: idKey(projectId, source) },
    mayChange: processProfile && (source !== null || task.identifies || hasUpdates(task)),
  };
}

/** Whether the event sets or removes properties of the person. */
export function hasUpdates(task: PersonTask): boolean {
  if (NEVER_UPDATES.has(task.event)) return false;
  return task.device.mask !== 0 || task.unset.length > 0 || isFilled(task.set) || isFilled(task.setOnce);
}

function isFilled(object: object): boolean {
  for (const _ in object) return true;
  return false;
}

/** Decoding has cut the distinct id, but ids to merge with come from the properties. */
const idText = (id: string): string => cleanText(distinctIdText(id));

/** Ids that broken clients send for every user: merging with them would join many persons into one. */
const ANY_CASE = new Set([
  'anonymous',
  'guest',
  'distinctid',
  'distinct_id',
  'id',
  'not_authenticated',
  'email',
  'undefined',
  'true',
  'false',
]);
const EXACT = new Set(['[object Object]', 'NaN', 'None', 'none', 'null', '0', 'undefined']);

/** Whether an id must not take part in a merge; quotes around it are ignored. */
export function isIllegalForMerge(distinctId: string): boolean {
  const bare = /^(["']).*\1$/s.test(distinctId) && distinctId.length > 1 ? distinctId.slice(1, -1) : distinctId;
  return distinctId.trim() === '' || bare.trim() === '' || EXACT.has(bare) || ANY_CASE.has(bare.toLowerCase());
}

const NAMESPACE = Buffer.from('6f1c9ad24bd15d5a8c0e37e2b1a4f905', 'hex');

/**
 * The UUID (version 5) of the person that a distinct id creates. Events without a profile carry it before the person exists, so they
 * belong to the person as soon as it is created.
 */
export function personUuid(projectId: number, distinctId: string): string {
  return nameUuid(NAMESPACE, `${projectId}:${distinctId}`);
}
