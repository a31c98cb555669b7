import { type ActivityEntry, byCaller, type Caller, type Change, changesBetween, kindOfChange } from '../activity/index.js';
import type { InsightRow } from '../tiles/index.js';

const FIELDS = [
  'name',
  'derived_name',
  'description',
  'query',
  'filters',
  'order',
  'tags',
  'favorited',
  'saved',
  'dashboards',
  'deleted',
] as const;

/** The caller did something with an insight, for the activity log. */
export const insightEntry = (
  caller: Caller,
  row: InsightRow,
  activity: ActivityEntry['activity'],
  changes: readonly Change[] = [],
): ActivityEntry => ({
  ...byCaller(caller),
  scope: 'Insight',
  itemId: row.id,
  activity,
  detail: { name: row.name || row.derived_name, short_id: row.short_id, changes },
});

/** The caller changed an insight. */
export function updateEntry(caller: Caller, before: InsightRow, after: InsightRow): ActivityEntry {
  const changes = changesBetween('Insight', told(before), told(after), FIELDS);
  return insightEntry(caller, after, kindOfChange(before, after), changes);
}

const told = ({ places, ...row }: InsightRow) => ({ ...row, dashboards: places.map(({ id }) => id) });
