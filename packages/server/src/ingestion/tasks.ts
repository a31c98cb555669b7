import { isObject, type Json } from '../kernel/json.js';
import type { GroupTask } from './groups/resolve.js';
import type { PersonTask } from './identities/person-task.js';
import type { EventContext } from './stages/index.js';

/** The part of the event that identity resolution needs. */
export function personTask(context: EventContext): PersonTask {
  const merge = context.processProfile ? mergeOf(context) : null;
  return {
    projectId: context.project.id,
    distinctId: context.distinctId,
    event: context.event,
    uuid: context.uuid,
    timestamp: context.timestamp,
    processProfile: context.processProfile,
    device: context.device,
    set: context.set,
    setOnce: context.setOnce,
    unset: context.unset,
    merge,
    // server SDKs send `$identify` without a former id: that only updates properties
    identifies: merge !== null,
  };
}

/** A former id that is an object becomes this illegal id: a broken client sends it for every user, and a merge would join them all. */
const ILLEGAL_ID = '[object Object]';

function mergeOf(context: EventContext): PersonTask['merge'] {
  const { event, properties } = context;
  const isMerge = event === '$identify' || event === '$create_alias' || event === '$merge_dangerously';
  if (!isMerge) return null;
  const former = event === '$identify' ? properties.$anon_distinct_id : properties.alias;
  const source = typeof former === 'object' && former !== null ? ILLEGAL_ID : idText(former);
  return source === null ? null : { source, force: event === '$merge_dangerously' };
}

/** The part of the event that concerns groups. */
export function groupTask(context: EventContext): GroupTask {
  const { $groups: groups } = context.properties;
  const memberships: Record<string, string> = {};
  if (isObject(groups)) {
    for (const [type, value] of Object.entries(groups)) {
      const key = idText(value);
      if (key !== null && type !== '') memberships[type] = key;
    }
  }
  return { projectId: context.project.id, timestamp: context.timestamp, memberships, identify: identifyOf(context) };
}

function identifyOf(context: EventContext): GroupTask['identify'] {
  if (context.event !== '$groupidentify') return null;
  const { $group_type: type, $group_key: key, $group_set: set } = context.properties;
  const typeName = idText(type);
  const keyName = idText(key);
  if (!typeName || !keyName) return null;
  return { type: typeName, key: keyName, set: isObject(set) ? set : {} };
}

/** Ids are text; clients also send numbers. null: no id. */
function idText(value: Json | undefined): string | null {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
