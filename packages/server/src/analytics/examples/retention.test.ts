import { workedExamples } from '../../testing/worked-examples.js';

/* Who begins in a period, and who of them comes back in the periods after it. The first number of a row is how many began. */

const example = workedExamples();

const visited = { id: 'visited', type: 'events' };
const retention = (retentionFilter: object, rest: object = {}) => ({
  kind: 'RetentionQuery',
  retentionFilter: { targetEntity: visited, returningEntity: visited, totalIntervals: 3, ...retentionFilter },
  ...rest,
});

const VISITS = `
  ann  2024-05-01 10:00  visited
  ann  2024-05-02 10:00  visited
  ann  2024-05-03 10:00  visited
  ben  2024-05-01 11:00  visited
  ben  2024-05-03 11:00  visited
  cem  2024-05-02 09:00  visited
`;

example('People begin in every period in which they do it', {
  because: 'On the 1st Ann and Ben began; Ann came the day after, both came two days after. Behind the last day are zeros.',
  events: VISITS,
  query: retention({}),
  answer: `
    2024-05-01  2  1  2
    2024-05-02  2  1  0
    2024-05-03  2  0  0
  `,
  behind: [
    { point: { interval: 0 }, people: 'ann, ben' },
    { point: { interval: 0, later: 1 }, people: 'ann' },
    { point: { interval: 1 }, people: 'ann, cem' },
    { point: { interval: 1, later: 1 }, people: 'ann' },
  ],
});

const SESSION_OF_DAYS = `
  ann  2024-05-01 10:00  visited  $session_id=s1
  ann  2024-05-04 10:00  visited  $session_id=s1
  ann  2024-05-05 10:00  visited  $session_id=s2
`;
const inShortSessions = {
  dateRange: { date_from: '2024-05-04', date_to: '2024-05-05' },
  properties: [{ type: 'session', key: '$session_duration', operator: 'exact', value: ['0'] }],
};

example('Of a session of days only the part within a day of the dates counts', {
  because: 'Both of her sessions took no time around the 4th and the 5th.',
  events: SESSION_OF_DAYS,
  query: retention({ totalIntervals: 2 }, inShortSessions),
  answer: `
    2024-05-04  1  1
    2024-05-05  1  0
  `,
});

example('Sessions are whole where the first time is looked for in all events', {
  because: 'Her first session took three days, so that she begins with the second one.',
  events: SESSION_OF_DAYS,
  query: retention({ totalIntervals: 2, retentionType: 'retention_first_time' }, inShortSessions),
  answer: `
    2024-05-04  0  0
    2024-05-05  1  0
  `,
});

example('For the first time people begin once', {
  because: 'Ann and Ben began on the 1st, Cem on the 2nd; on the 3rd nobody came who had not been there.',
  events: VISITS,
  query: retention({ retentionType: 'retention_first_time' }),
  answer: `
    2024-05-01  2  1  2
    2024-05-02  1  0  0
    2024-05-03  0  0  0
  `,
});

example('The first time is looked for before the range, too', {
  because: 'Ann came first in April, so she does not begin in May.',
  events: `
    ann  2024-04-20 10:00  visited
    ann  2024-05-01 10:00  visited
    ben  2024-05-01 10:00  visited
  `,
  query: retention(
    { retentionType: 'retention_first_time', totalIntervals: 2 },
    { dateRange: { date_from: '2024-05-01', date_to: '2024-05-02' } },
  ),
  answer: `
    2024-05-01  1  0
    2024-05-02  0  0
  `,
});

const PRO_VISITS = { ...visited, properties: [{ key: 'plan', value: ['pro'], operator: 'exact', type: 'event' }] };
const PLANS = `
  ann  2024-05-01 10:00  visited  plan=free
  ann  2024-05-02 10:00  visited  plan=pro
  ben  2024-05-02 11:00  visited  plan=pro
`;

example('For the first time that the filters hold', {
  because: "Ann's first visit on the pro plan was on the 2nd, as Ben's was.",
  events: PLANS,
  query: retention({ retentionType: 'retention_first_time', targetEntity: PRO_VISITS, totalIntervals: 2 }),
  answer: `
    2024-05-01  0  0
    2024-05-02  2  0
  `,
});

example('The first occurrence ever begins only if the filters hold of it', {
  because: "Ann's first visit ever was on the free plan, so she never begins. Ben's was on the pro plan.",
  events: PLANS,
  query: retention({ retentionType: 'retention_first_ever_occurrence', targetEntity: PRO_VISITS, totalIntervals: 2 }),
  answer: `
    2024-05-01  0  0
    2024-05-02  1  0
  `,
});

example('What people begin with need not be what they come back with', {
  because: 'Ann signed up and bought two days later; her visits do not matter. Ben bought, but never signed up.',
  events: `
    ann  2024-05-01 10:00  signed up
    ann  2024-05-02 10:00  visited
    ann  2024-05-03 10:00  bought
    ben  2024-05-02 10:00  bought
  `,
  query: retention({ targetEntity: { id: 'signed up', type: 'events' }, returningEntity: { id: 'bought', type: 'events' } }),
  answer: `
    2024-05-01  1  0  1
    2024-05-02  0  0  0
    2024-05-03  0  0  0
  `,
});

example('Coming again in the period of the beginning is no return', {
  because: 'Both of her visits are on the 1st: the first number is how many began, and nobody came later.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 18:00  visited
  `,
  query: retention({ totalIntervals: 2 }),
  answer: '2024-05-01  1  0',
});

example('A minimum of occurrences is met within one period', {
  because: 'Ann came twice on the 2nd. Ben came once on the 2nd and once on the 3rd, which is not twice in a day.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-02 10:00  visited
    ann  2024-05-02 12:00  visited
    ben  2024-05-01 10:00  visited
    ben  2024-05-02 10:00  visited
    ben  2024-05-03 10:00  visited
  `,
  query: retention({ retentionType: 'retention_first_time', minimumOccurrences: 2 }),
  answer: `
    2024-05-01  2  1  0
    2024-05-02  0  0  0
    2024-05-03  0  0  0
  `,
});

example('Cumulative: who comes later was not lost before', {
  because: 'Ben came on the 3rd only; he counts on the 2nd, too.',
  events: VISITS,
  query: retention({ retentionType: 'retention_first_time', cumulative: true }),
  answer: `
    2024-05-01  2  2  2
    2024-05-02  1  0  0
    2024-05-03  0  0  0
  `,
});

example('Brackets put several periods into one number', {
  because: 'Day 1 is one number, days 2 to 4 are one: Ann came on days 1 and 3, Ben on days 2 and 4, which counts once.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-02 10:00  visited
    ann  2024-05-04 10:00  visited
    ben  2024-05-01 10:00  visited
    ben  2024-05-03 10:00  visited
    ben  2024-05-05 10:00  visited
    cem  2024-05-01 10:00  visited
  `,
  query: retention(
    { retentionType: 'retention_first_time', retentionCustomBrackets: [1, 3], totalIntervals: 1 },
    { dateRange: { date_from: '2024-05-01', date_to: '2024-05-05' } },
  ),
  answer: `
    2024-05-01  3  1  2
    2024-05-02  0  0  0
    2024-05-03  0  0  0
    2024-05-04  0  0  0
    2024-05-05  0  0  0
  `,
  behind: [
    { point: { interval: 0, later: 1 }, people: 'ann' },
    { point: { interval: 0, later: 2 }, people: 'ann, ben' },
  ],
});

example('The last week is whole, also where the range ends within it', {
  because:
    'The range ends on Wednesday the 8th. Ben came on the Friday of that week and counts in it; Cem came in the week after.',
  events: `
    ann  2024-04-29 10:00  visited
    ben  2024-04-30 10:00  visited
    ben  2024-05-10 10:00  visited
    cem  2024-05-01 10:00  visited
    cem  2024-05-13 10:00  visited
  `,
  weekStart: 'Monday',
  query: retention({ period: 'Week', totalIntervals: 2 }, { dateRange: { date_from: '2024-04-29', date_to: '2024-05-08' } }),
  answer: `
    2024-04-29  3  1
    2024-05-06  1  0
  `,
});

example('Weeks begin on Sunday unless the project says Monday', {
  because: 'The 5th of May was a Sunday: it begins the second week here.',
  events: `
    ann  2024-05-04 10:00  visited
    ann  2024-05-05 10:00  visited
  `,
  query: retention({ period: 'Week', totalIntervals: 2 }),
  answer: `
    2024-04-28  1  1
    2024-05-05  1  0
  `,
});

example('Months are those of the calendar, and the last one is whole', {
  because:
    'January has 31 days and February 29. Ben came on the 20th of February, after the last day of the range, in its month.',
  events: `
    ann  2024-01-31 10:00  visited
    ann  2024-02-01 10:00  visited
    ben  2024-01-01 10:00  visited
    ben  2024-02-20 10:00  visited
  `,
  query: retention({ period: 'Month', totalIntervals: 2 }, { dateRange: { date_from: '2024-01-15', date_to: '2024-02-10' } }),
  answer: `
    2024-01-01  2  2
    2024-02-01  2  0
  `,
});

example('By hours there are as many rows as numbers in a row', {
  because: 'The range ends with the 1st of May: its last three hours are 21, 22 and 23.',
  events: `
    ann  2024-05-01 20:59  visited
    ann  2024-05-01 21:00  visited
    ann  2024-05-01 23:59  visited
  `,
  query: retention({ period: 'Hour', totalIntervals: 3 }, { dateRange: { date_to: '2024-05-01' } }),
  answer: `
    2024-05-01T21  1  0  1
    2024-05-01T22  0  0  0
    2024-05-01T23  1  0  0
  `,
});

example('Days are those of the project', {
  because: 'In Berlin the second visit is after midnight, on the 2nd of May.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 22:30  visited
  `,
  timezone: 'Europe/Berlin',
  query: retention({ totalIntervals: 2 }, { dateRange: { date_from: '2024-05-01', date_to: '2024-05-02' } }),
  answer: `
    2024-05-01  1  1
    2024-05-02  1  0
  `,
});

example('The day on which clocks go forward is a day like others', {
  because: 'The 31st of March has 23 hours in Berlin; the visits are on three days in a row.',
  events: `
    ann  2024-03-30 22:30  visited
    ann  2024-03-30 23:30  visited
    ann  2024-03-31 22:30  visited
  `,
  timezone: 'Europe/Berlin',
  query: retention({}, { dateRange: { date_from: '2024-03-30', date_to: '2024-04-01' } }),
  answer: `
    2024-03-30  1  1  1
    2024-03-31  1  1  0
    2024-04-01  1  0  0
  `,
});

example('In windows of 24 hours a day ends at the time of day at which somebody began', {
  because:
    'Ann came 14 hours after she began: that is the next day of the calendar, but not of her windows. Ben came after 25 hours.',
  events: `
    ann  2024-05-01 20:00  visited
    ann  2024-05-02 10:00  visited
    ben  2024-05-01 20:00  visited
    ben  2024-05-02 21:00  visited
  `,
  query: retention({ timeWindowMode: '24_hour_windows', totalIntervals: 2 }),
  answer: `
    2024-05-01  2  1
    2024-05-02  0  0
  `,
});

example('A value is that of the event with which people begin', {
  because: 'Ann began on the free plan on the 1st and on the pro plan on the 2nd; what she came back with does not matter.',
  events: `
    ann  2024-05-01 10:00  visited  plan=free
    ann  2024-05-02 10:00  visited  plan=pro
    ben  2024-05-01 10:00  visited  plan=free
  `,
  query: retention({ totalIntervals: 2 }, { breakdownFilter: { breakdown: 'plan', breakdown_type: 'event' } }),
  answer: `
    free:  2024-05-01  2  1
    free:  2024-05-02  0  0
    pro:  2024-05-01  0  0
    pro:  2024-05-02  1  0
  `,
  behind: [
    { point: { interval: 0, breakdown: 'free' }, people: 'ann, ben' },
    { point: { interval: 1, breakdown: 'pro' }, people: 'ann' },
  ],
});

example('Groups come back with any of their people', {
  because: 'Ann visited for acme on the 1st, Ben on the 2nd: acme came back. Cem is in no group.',
  events: `
    ann  2024-05-01 10:00  visited  @acme
    ben  2024-05-02 10:00  visited  @acme
    cem  2024-05-01 10:00  visited
  `,
  query: retention({ totalIntervals: 2 }, { aggregation_group_type_index: 0 }),
  answer: `
    2024-05-01  1  1
    2024-05-02  1  0
  `,
});

example('Two devices that were merged are one person who came back', {
  because: 'She began on her phone and came back on her computer.',
  events: `
    ann-phone  2024-05-01 10:00  visited
    ann        2024-05-02 10:00  visited
  `,
  merged: 'ann-phone  ann',
  query: retention({ retentionType: 'retention_first_time', totalIntervals: 2 }),
  answer: `
    2024-05-01  1  1
    2024-05-02  0  0
  `,
  behind: [{ point: { interval: 0, later: 1 }, people: 'ann' }],
});
