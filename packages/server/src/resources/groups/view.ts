import { isoTime } from '../../http/dates.js';
import { isObject } from '../../kernel/json.js';
import type { GroupTypeRow } from './types.js';

/** The fields of a group that its view needs. */
interface GroupFields {
  group_type_index: number;
  group_key: string;
  group_properties: unknown;
  created_at: Date;
}

/** A group as responses show it. */
export const groupView = ({ group_type_index, group_key, group_properties, created_at }: GroupFields) => ({
  group_type_index,
  group_key,
  group_properties: isObject(group_properties) ? group_properties : {},
  created_at: isoTime(created_at),
});

/** A group in a list of persons and groups. */
export const relatedGroupView = (group: GroupFields) => {
  const { group_key, group_type_index, group_properties: properties, created_at } = groupView(group);
  return { type: 'group', id: group_key, group_key, group_type_index, properties, created_at };
};

/** A group type as responses show it. */
export const groupTypeView = (row: GroupTypeRow) => ({
  group_type: row.group_type,
  group_type_index: row.group_type_index,
  name_singular: row.name_singular,
  name_plural: row.name_plural,
  detail_dashboard: row.detail_dashboard,
  default_columns: row.default_columns,
  created_at: isoTime(row.created_at),
});
