import { funnel, workedExamples } from '../../testing/worked-examples.js';

/* How long people may take, what makes a run void, and what is shown of the time. */

const example = workedExamples();

const HOUR = { funnelWindowInterval: 1, funnelWindowIntervalUnit: 'hour' };
const exclusion = (event: string, funnelFromStep: number, funnelToStep: number) => ({
  kind: 'EventsNode',
  event,
  funnelFromStep,
  funnelToStep,
});

example('The window is measured from the first step', {
  because: 'Ann bought 80 minutes after her visit: too late, although only 40 minutes after the step before.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:40  signed up
    ann  2024-05-01 11:20  bought
  `,
  query: funnel(['visited', 'signed up', 'bought'], HOUR),
  answer: `
    visited    1
    signed up  1  2400 s
    bought     0
  `,
});

example('The end of the window is within it', {
  because: 'Ann took exactly an hour, Ben a second longer.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 11:00  signed up
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 11:00:01  signed up
  `,
  query: funnel(['visited', 'signed up'], HOUR),
  answer: `
    visited    2
    signed up  1  3600 s
  `,
});

const UNITS: [unit: object, length: string, last: string, late: string, seconds: number][] = [
  [{ funnelWindowIntervalUnit: 'second' }, '2 seconds', '2024-05-01 10:00:02', '2024-05-01 10:00:03', 2],
  [{ funnelWindowIntervalUnit: 'minute' }, '2 minutes', '2024-05-01 10:02', '2024-05-01 10:02:01', 120],
  [{ funnelWindowIntervalUnit: 'week' }, '14 days of 24 hours', '2024-05-15 10:00', '2024-05-15 10:00:01', 1_209_600],
  [{ funnelWindowIntervalUnit: 'month' }, '60 days of 24 hours', '2024-06-30 10:00', '2024-06-30 10:00:01', 5_184_000],
];
for (const [unit, length, last, late, seconds] of UNITS) {
  example(`A window of 2 is ${length} by ${Object.values(unit)[0]}`, {
    because: `Ann signed up at the last moment, and Ben a second later.`,
    events: `
      ann  2024-05-01 10:00  visited
      ann  ${last}  signed up
      ben  2024-05-01 10:00  visited
      ben  ${late}  signed up
    `,
    now: '2024-07-15 12:00',
    query: funnel(['visited', 'signed up'], { funnelWindowInterval: 2, ...unit }),
    answer: `
      visited    2
      signed up  1  ${seconds} s
    `,
  });
}

example('A later visit begins a window of its own', {
  because: 'From the first visit it took two hours, from the second one half an hour.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 11:30  visited
    ann  2024-05-01 12:00  signed up
  `,
  query: funnel(['visited', 'signed up'], HOUR),
  answer: `
    visited    1
    signed up  1  1800 s
  `,
});

example('A window is 14 days unless it is said', {
  because: 'Ann took 14 days to the minute, Ben a minute longer.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-15 10:00  signed up
    ben  2024-05-01 10:00  visited
    ben  2024-05-15 10:01  signed up
  `,
  query: funnel(['visited', 'signed up']),
  answer: `
    visited    2
    signed up  1  1209600 s
  `,
});

example('A day of the window has 24 hours, also when clocks change', {
  because:
    'In Berlin the 31st of March had 23 hours. From 10:00 there to 11:00 on the next day are 25 hours on the clock, but 24 passed.',
  events: `
    ann  2024-03-30 09:30  visited
    ann  2024-03-31 09:30  signed up
  `,
  timezone: 'Europe/Berlin',
  query: funnel(['visited', 'signed up'], { funnelWindowInterval: 1, funnelWindowIntervalUnit: 'day' }),
  answer: `
    visited    1
    signed up  1  86400 s
  `,
});

example('All steps lie within the dates of the query', {
  because: 'She signed up on the day after the last one that is asked for.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-02 10:00  signed up
  `,
  query: { ...funnel(['visited', 'signed up']), dateRange: { date_from: '2024-05-01', date_to: '2024-05-01' } },
  answer: `
    visited    1
    signed up  0
  `,
});

example('Days are those of the project', {
  because: 'In New York it was still the evening of the 1st of May, by UTC the 2nd.',
  events: `
    ann  2024-05-02 01:00  visited
    ann  2024-05-02 01:10  signed up
  `,
  timezone: 'America/New_York',
  query: { ...funnel(['visited', 'signed up']), dateRange: { date_from: '2024-05-01', date_to: '2024-05-01' } },
  answer: `
    visited    1
    signed up  1  600 s
  `,
});

example('An exclusion between two steps makes the run void', {
  because: 'Ann cancelled between her steps: she is not in the funnel at all. Ben cancelled afterwards, which does not matter.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  cancelled
    ann  2024-05-01 10:02  signed up
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:01  signed up
    ben  2024-05-01 10:02  cancelled
  `,
  query: funnel(['visited', 'signed up'], { exclusions: [exclusion('cancelled', 0, 1)] }),
  answer: `
    visited    1
    signed up  1  60 s
  `,
  behind: [{ point: { funnelStep: 1 }, people: 'ben' }],
});

example('Who begins again after an exclusion counts with the new run', {
  because: 'The run of her first visit is void; the one of the second visit is not.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  cancelled
    ann  2024-05-01 10:05  visited
    ann  2024-05-01 10:07  signed up
  `,
  query: funnel(['visited', 'signed up'], { exclusions: [exclusion('cancelled', 0, 1)] }),
  answer: `
    visited    1
    signed up  1  120 s
  `,
});

example('An exclusion counts between its own steps alone', {
  because: 'Only between the sign-up and the purchase a cancellation matters: Ann cancelled earlier, Ben there.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  cancelled
    ann  2024-05-01 10:02  signed up
    ann  2024-05-01 10:03  bought
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:01  signed up
    ben  2024-05-01 10:02  cancelled
    ben  2024-05-01 10:03  bought
  `,
  query: funnel(['visited', 'signed up', 'bought'], { exclusions: [exclusion('cancelled', 1, 2)] }),
  answer: `
    visited    1
    signed up  1  120 s
    bought     1  60 s
  `,
});

example('An exclusion makes a run void even if the next step never comes', {
  because: 'She cancelled while the funnel waited for her sign-up, within the window.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  cancelled
    ben  2024-05-01 10:00  visited
  `,
  query: funnel(['visited', 'signed up'], { exclusions: [exclusion('cancelled', 0, 1)] }),
  answer: `
    visited    1
    signed up  0
  `,
});

example('An exclusion after the window does not matter', {
  because: 'She cancelled two hours after the visit; the window of an hour was over.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 12:00  cancelled
  `,
  query: funnel(['visited', 'signed up'], { ...HOUR, exclusions: [exclusion('cancelled', 0, 1)] }),
  answer: `
    visited    1
    signed up  0
  `,
});

example('The histogram counts people by the time that they took', {
  because: 'From 60 s to 300 s there are two bars of 120 s; who took the longest stands at the end of the last one.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  signed up
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:02  signed up
    cem  2024-05-01 10:00  visited
    cem  2024-05-01 10:05  signed up
  `,
  query: funnel(['visited', 'signed up'], { funnelVizType: 'time_to_convert', binCount: 2 }),
  answer: `
    60 s   2
    180 s  0
    300 s  1
    average  160 s
  `,
});

example('Bars are a minute wide where all took equally long', {
  because: 'Both took 90 seconds, so there is no width between the shortest and the longest.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01:30  signed up
    ben  2024-05-01 11:00  visited
    ben  2024-05-01 11:01:30  signed up
  `,
  query: funnel(['visited', 'signed up'], { funnelVizType: 'time_to_convert', binCount: 1 }),
  answer: `
    90 s   2
    150 s  0
    average  90 s
  `,
});

example('Conversion over time belongs to the day on which a run begins', {
  because: 'Ann began on the 1st and converted on the 2nd: she counts on the 1st. Ben began on the 2nd and did not convert.',
  events: `
    ann  2024-05-01 23:00  visited
    ann  2024-05-02 01:00  signed up
    ben  2024-05-02 10:00  visited
  `,
  query: funnel(['visited', 'signed up'], { funnelVizType: 'trends' }),
  answer: `
    2024-05-01  1 of 1  100 %
    2024-05-02  0 of 1  0 %
  `,
  behind: [
    { point: { funnelTrendsEntrancePeriodStart: '2024-05-01' }, people: 'ann' },
    { point: { funnelTrendsEntrancePeriodStart: '2024-05-02', funnelTrendsDropOff: true }, people: 'ben' },
  ],
});

example('Who begins on several days counts on each of them', {
  because: 'She visited on both days and signed up once: from both visits within the window.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-02 10:00  visited
    ann  2024-05-02 11:00  signed up
  `,
  query: funnel(['visited', 'signed up'], { funnelVizType: 'trends' }),
  answer: `
    2024-05-01  1 of 1  100 %
    2024-05-02  1 of 1  100 %
  `,
});

example('Conversion by weeks, which begin on the day that the project says', {
  because: 'The 5th of May 2024 was a Sunday: with weeks from Monday it belongs to the week of the 29th of April.',
  events: `
    ann  2024-05-05 10:00  visited
    ann  2024-05-06 10:00  signed up
    ben  2024-05-06 10:00  visited
  `,
  weekStart: 'Monday',
  query: { ...funnel(['visited', 'signed up'], { funnelVizType: 'trends' }), interval: 'week' },
  answer: `
    2024-04-29  1 of 1  100 %
    2024-05-06  0 of 1  0 %
  `,
});

example('Conversion between two steps in the middle', {
  because: 'Of two who signed up one bought. Cem never signed up and does not count here.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  signed up
    ann  2024-05-01 10:02  bought
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:01  signed up
    cem  2024-05-01 10:00  visited
  `,
  query: funnel(['visited', 'signed up', 'bought'], { funnelVizType: 'trends', funnelFromStep: 1, funnelToStep: 2 }),
  answer: '2024-05-01  1 of 2  50 %',
  behind: [
    { point: { funnelTrendsEntrancePeriodStart: '2024-05-01' }, people: 'ann' },
    { point: { funnelTrendsEntrancePeriodStart: '2024-05-01', funnelTrendsDropOff: true }, people: 'ben' },
  ],
});
