import { isObject, type Json } from '../kernel/json.js';
import type { GroupTask } from './groups/types.js';
import type { PersonTask } from './identities/types.js';
import type { Draft } from './stages/index.js';

/** What the event asks of the persons. */
export function personTask(draft: Draft): PersonTask {
  const merge = draft.processProfile ? mergeOf(draft) : null;
  return {
    projectId: draft.project.id,
    distinctId: draft.distinctId,
    event: draft.event,
    uuid: draft.uuid,
    timestamp: draft.timestamp,
    processProfile: draft.processProfile,
    passing: draft.passing,
    set: draft.set,
    setOnce: draft.setOnce,
    unset: draft.unset,
    merge,
    // server SDKs identify without a former id: that only updates properties
    identifies: merge !== null,
  };
}

/** An id that is refused: an object is the same for all whom a broken client sends it for, and would make one person of them. */
const NOBODY = '[object Object]';

function mergeOf(draft: Draft): PersonTask['merge'] {
  const { event, properties } = draft;
  const isMerge = event === '$identify' || event === '$create_alias' || event === '$merge_dangerously';
  if (!isMerge) return null;
  const former = event === '$identify' ? properties.$anon_distinct_id : properties.alias;
  const source = typeof former === 'object' && former !== null ? NOBODY : idText(former);
  return source === null ? null : { source, force: event === '$merge_dangerously' };
}

/** What the event says of groups. */
export function groupTask(draft: Draft): GroupTask {
  const { $groups: groups } = draft.properties;
  const memberships: Record<string, string> = {};
  if (isObject(groups)) {
    for (const [type, value] of Object.entries(groups)) {
      const key = idText(value);
      if (key !== null && type !== '') memberships[type] = key;
    }
  }
  return { projectId: draft.project.id, timestamp: draft.timestamp, memberships, identify: identifyOf(draft) };
}

function identifyOf(draft: Draft): GroupTask['identify'] {
  if (draft.event !== '$groupidentify') return null;
  const { $group_type: type, $group_key: key, $group_set: set } = draft.properties;
  const typeName = idText(type);
  const keyName = idText(key);
  if (!typeName || !keyName) return null;
  return { type: typeName, key: keyName, set: isObject(set) ? set : {} };
}

/** Ids are text; clients also send numbers. Null when there is none. */
function idText(value: Json | undefined): string | null {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
