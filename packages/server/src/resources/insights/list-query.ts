import { z } from 'zod';
import { dateParameter, type Moment, resolveDate } from '../../analytics/index.js';
import { integer, optional, tag, text } from '../../http/fields.js';
import { isTruthyParameter, queryValues } from '../../http/validate.js';
import { refreshParam, stalenessParam } from '../results/index.js';
import type { InsightFilter } from './store.js';

const word = () => optional(text({ max: 1000, blank: true }));

/** Query parameters of the list. */
export const listQuery = z.object({
  short_id: word().describe('Only the insight with this short id.'),
  saved: word().describe('True: only what is saved or on a dashboard; false: only what is not saved.'),
  user: word().describe('True: only your own.'),
  created_by: queryValues(integer()).describe('Only those made by one of these users (numbers).'),
  favorited: word().describe('True: only favourites; false: only others.'),
  search: word().describe('Only those with this text in name, description or a tag.'),
  tags: queryValues(tag).describe('Only those with all of these tags.'),
  dashboards: queryValues(integer()).describe('Only those on all of these dashboards.'),
  date_from: dateParameter.describe('Only those changed since this date, date-time or relative date (`-7d`).'),
  date_to: dateParameter.describe('Only those changed until this date (the day included), date-time or relative date.'),
  order: word().describe(
    'By what to sort: last_modified_at, created_at, updated_at, name or id, with a minus for descending. Else -last_modified_at.',
  ),
  refresh: refreshParam,
  staleness: stalenessParam,
  basic: word().describe('True: without results and what belongs to them.'),
});
export type ListQuery = z.output<typeof listQuery>;

/** As {@link isTruthyParameter}; undefined: the parameter is not there. */
const yesOrNo = (value: string | undefined): boolean | undefined =>
  value === undefined || value === '' ? undefined : isTruthyParameter(value);

/** The filter of a request; `me`: the caller. */
export function filterOf(query: ListQuery, me: number, moment: Moment): InsightFilter {
  const from = query.date_from ? resolveDate(query.date_from, moment) : null;
  const to = query.date_to ? resolveDate(query.date_to, moment) : null;
  return {
    short_id: query.short_id || undefined,
    saved: yesOrNo(query.saved),
    favorited: yesOrNo(query.favorited),
    search: query.search || undefined,
    created_by: isTruthyParameter(query.user) ? [me] : query.created_by,
    tags: query.tags,
    dashboards: query.dashboards,
    modified_after: from ? new Date(from.instant) : undefined,
    modified_before: to ? new Date(to.end ?? to.instant) : undefined,
  };
}
