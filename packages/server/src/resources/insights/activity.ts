import { type ActivityEntry, byCaller, type Caller, type Change, changesBetween, kindOfChange } from '../activity/index.js';
import type { InsightRow } from '../tiles/index.js';

/** Fields whose changes the activity log records. */
const LOGGED = [
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

/** The entry of the activity log for something that the caller did with an insight. */
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

/** The entry for an update of an insight. */
export function updateEntry(caller: Caller, before: InsightRow, after: InsightRow): ActivityEntry {
  const changes = changesBetween('Insight', loggedFields(before), loggedFields(after), LOGGED);
  return insightEntry(caller, after, kindOfChange(before, after), changes);
}

const loggedFields = ({ places, ...row }: InsightRow) => ({ ...row, dashboards: places.map(({ id }) => id) });
