import type { Question, Series } from '../../query/question.js';

const EVERY_EVENT: Series = { kind: 'EventsNode', event: null, name: 'All events', math: 'total' };
const EVERYBODY: Series = { ...EVERY_EVENT, math: 'dau' };
const A_WEEK_BEFORE = { compare: true, compare_to: '-7d' };

/** One number of today up to a moment, against the same weekday last week up to the same time. @param now ISO date-time */
const numberToday = (series: Series, now: string): Question => ({
  kind: 'TrendsQuery',
  series: [series],
  dateRange: { date_from: 'dStart', date_to: now, explicitDate: true } as Question['dateRange'] & object,
  interval: 'hour',
  compareFilter: A_WEEK_BEFORE,
  trendsFilter: { display: 'BoldNumber' },
});

export const eventsToday = (now: string): Question => numberToday(EVERY_EVENT, now);

export const peopleToday = (now: string): Question => numberToday(EVERYBODY, now);

/** Events of each hour of the day, with those of the same weekday last week. */
export const eventsByHour: Question = {
  kind: 'TrendsQuery',
  series: [EVERY_EVENT],
  dateRange: { date_from: 'dStart', date_to: 'dEnd' },
  interval: 'hour',
  compareFilter: A_WEEK_BEFORE,
  trendsFilter: { display: 'ActionsLineGraph' },
};
