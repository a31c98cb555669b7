import { distinctIdText } from '../../http/sdk/index.js';
import { cleanText } from '../storable.js';
import type { PersonTask } from './types.js';
import { idKey } from './unit-of-work.js';

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
