import { distinctIdText } from '../../http/sdk/index.js';
import { cleanText } from '../storable.js';
import { idKey } from './picture.js';
import type { PersonTask } from './types.js';

/** A task with its ids as the database keeps them. */
export interface Ask {
  task: PersonTask;
  distinctId: string;
  key: string;
  /** The id to merge with; null when the task asks for no merge. */
  source: { distinctId: string; key: string } | null;
  /** Whether it can change a person, so that all of the person must be known. */
  mayChange: boolean;
}

/** Events that tell of pages and faults, not of who somebody is. */
const NEVER_UPDATES = new Set(['$exception', '$$heatmap']);

export function askOf(task: PersonTask): Ask {
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
  return task.passing.names !== 0 || task.unset.length > 0 || isFilled(task.set) || isFilled(task.setOnce);
}

function isFilled(object: object): boolean {
  for (const _ in object) return true;
  return false;
}

/** Ids were cut when the event was read, but those to merge with come from its properties. */
const idText = (id: string): string => cleanText(distinctIdText(id));
