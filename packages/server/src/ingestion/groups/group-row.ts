import { isObject } from '../../kernel/json.js';
import type { GroupRow } from '../../ports/events.js';
import type { ChangedGroup } from './store.js';

/** A group as the event store gets it. */
export function groupRow(group: ChangedGroup): GroupRow {
  const properties: unknown = JSON.parse(group.properties);
  return {
    project_id: group.project_id,
    group_type_index: group.group_type_index,
    group_key: group.group_key,
    properties: isObject(properties) ? properties : {},
    created_at: group.created_at,
    version: group.version,
  };
}
