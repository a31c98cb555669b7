import { describe } from 'vitest';
import { exampleHistories, of, TOTAL, trends } from '../../testing/examples.js';

/* Where hours, days, weeks and months begin, and what is compared with what. */

const history = exampleHistories();
const dates = (date_from: string, date_to: string, fields: object = {}) => ({ dateRange: { date_from, date_to, ...fields } });

describe('intervals', () => {
  const spring = history(`
    ann  page  2024-02-28 10:00
    ann  page  2024-02-29 10:00
    bob  page  2024-02-29 23:59
    bob  page  2024-03-01 00:00
    ann  page  2024-03-31 12:00
    ann  page  2024-04-30 12:00
    ann  page  Sun 10:00
    bob  page  Mon 09:00
    bob  page  Mon 09:59:59.999
    bob  page  Mon 10:00
    ann  page  Mon 10:30
    ann  page  Sat 10:00
  `);

  spring.example('hours begin on the hour', {
    query: trends(of('page'), { interval: 'hour', ...dates('2024-05-06 09:00', '2024-05-06 12:00', { explicitDate: true }) }),
    answer: { page: [2, 2, 0] },
    because: 'Bob twice between 9 and 10; at 10 sharp he is in the next hour, in which Ann is, too. Twelve is not reached.',
    days: ['2024-05-06 09:00:00', '2024-05-06 10:00:00', '2024-05-06 11:00:00'],
  });

  spring.example('dau by hours counts each person once an hour', {
    query: trends(of('page', { math: 'dau' }), {
      interval: 'hour',
      ...dates('2024-05-06 09:00', '2024-05-06 12:00', { explicitDate: true }),
    }),
    answer: { page: [1, 2, 0] },
    because: 'Bob alone, then Bob and Ann.',
  });

  spring.example('a day that only leap years have is one', {
    query: trends(of('page'), dates('2024-02-28', '2024-03-01')),
    answer: { page: [1, 2, 1] },
    because: 'Bob at 23:59 is on the 29th; at midnight on the 1st.',
    days: ['2024-02-28', '2024-02-29', '2024-03-01'],
  });

  spring.example('weeks begin on Sunday', {
    query: trends(of('page'), { interval: 'week', ...dates('2024-05-05', '2024-05-18') }),
    answer: { page: [5, 1] },
    because: "Monday's four and Saturday's are in the week that begins on 5 May; Sunday the 12th begins the next.",
    days: ['2024-05-05', '2024-05-12'],
  });

  spring.example('by months the first month is whole, and the last ends with the range', {
    query: trends(of('page'), { interval: 'month', ...dates('2024-02-29', '2024-03-30') }),
    answer: { page: [3, 1] },
    because: 'Ann on 28 February is in the month in which the range begins; she on 31 March comes after its end.',
    days: ['2024-02-01', '2024-03-01'],
  });

  spring.example('with explicit dates the first month is cut', {
    query: trends(of('page'), { interval: 'month', ...dates('2024-02-29', '2024-03-30', { explicitDate: true }) }),
    answer: { page: [2, 1] },
    because: 'Ann on 28 February came before the instant at which the range begins.',
  });

  spring.example('one number for the whole time has only what is in the range', {
    query: trends(of('page'), { interval: 'month', ...dates('2024-02-29', '2024-03-30'), ...TOTAL }),
    answer: { page: 3 },
    because: 'Ann and Bob on 29 February, Bob on 1 March.',
  });

  spring.example('a week that the range cuts has only what is in the range', {
    query: trends(of('page'), { interval: 'week', ...dates('2024-05-06', '2024-05-10') }),
    answer: { page: [4] },
    because: "Monday's four; Saturday comes after the end.",
  });

  spring.example('minutes begin on the minute', {
    query: trends(of('page'), { interval: 'minute', ...dates('2024-05-06 09:58', '2024-05-06 10:00') }),
    answer: { page: [0, 1, 1] },
    because: 'Bob just before ten, and at ten sharp. The minute of the end is whole.',
    days: ['2024-05-06 09:58:00', '2024-05-06 09:59:00', '2024-05-06 10:00:00'],
  });

  spring.example('the last minutes are whole ones', {
    query: trends(of('page'), { interval: 'minute', dateRange: { date_from: '-2M' } }),
    answer: { page: [0, 1, 1] },
    because: 'Asked half a minute past ten: the minutes of 9:58, 9:59 and 10:00.',
    now: '2024-05-06 10:00:30',
  });

  spring.example('months and days of dates need no zero in front', {
    query: trends(of('page'), dates('2024-2-28', '2024-3-1')),
    answer: { page: [1, 2, 1] },
    because: 'These are the dates 2024-02-28 and 2024-03-01.',
  });

  spring.example('dau by weeks counts each person once a week', {
    query: trends(of('page', { math: 'dau' }), { interval: 'week', ...dates('2024-05-05', '2024-05-18') }),
    answer: { page: [2, 1] },
    because: 'Ann and Bob, then Ann.',
  });

  spring.example('months begin on the first', {
    query: trends(of('page'), { interval: 'month', ...dates('2024-02-01', '2024-05-31') }),
    answer: { page: [3, 2, 1, 6] },
    because: 'February has the three until the 29th; March two; April one; May all in its second week.',
    days: ['2024-02-01', '2024-03-01', '2024-04-01', '2024-05-01'],
  });

  spring.example('dau by months counts each person once a month', {
    query: trends(of('page', { math: 'dau' }), { interval: 'month', ...dates('2024-02-01', '2024-05-31') }),
    answer: { page: [2, 2, 1, 2] },
    because: 'Bob came in February, March and May; Ann each month.',
  });

  spring.example('date_to is a whole day', {
    query: trends(of('page'), dates('2024-02-29', '2024-02-29')),
    answer: { page: [2] },
    because: 'One day is asked for: Ann at ten and Bob just before midnight.',
  });

  spring.example('all begins with the first event of the project', {
    query: trends(of('page'), { ...TOTAL, ...dates('all', '2024-03-01') }),
    answer: { page: 4 },
    because: 'The three of February and the one of the 1st of March.',
  });
});

describe('weeks that begin on Monday', () => {
  const may = history(
    `
    ann  page  2024-05-05 10:00
    ann  page  Mon 10:00
    bob  page  Sun 23:59
    bob  page  2024-05-13 00:00
  `,
    { project: { week_start_day: 1 } },
  );

  may.example('Sunday is the last day of the week', {
    query: trends(of('page'), { interval: 'week', ...dates('2024-04-29', '2024-05-19') }),
    answer: { page: [1, 2, 1] },
    because:
      'Ann on Sunday the 5th is in the week of 29 April. Bob on Sunday the 12th is in that of the 6th, and at midnight in the next.',
    days: ['2024-04-29', '2024-05-06', '2024-05-13'],
  });
});

describe('time zones', () => {
  const table = `
    ann  page  Mon 18:14
    ann  page  Mon 18:15
    bob  page  Mon 21:59
    bob  page  Mon 22:00
    cem  page  Tue 03:59
    cem  page  Tue 04:00
  `;
  const zones: [string, number[], string][] = [
    ['UTC', [4, 2, 0], "Cem's are on Tuesday"],
    ['Europe/Berlin', [3, 3, 0], 'midnight in Berlin is at 22:00 UTC in summer'],
    ['America/New_York', [5, 1, 0], 'midnight in New York is at 4:00 UTC in summer'],
    ['Asia/Kathmandu', [1, 5, 0], 'midnight in Kathmandu is at 18:15 UTC'],
  ];
  for (const [timezone, data, because] of zones) {
    history(table, { project: { timezone } }).example(`days begin at midnight in ${timezone}`, {
      query: trends(of('page')),
      answer: { page: data },
      because: `${because}.`,
    });
  }

  history(table, { project: { timezone: 'Europe/Berlin' } }).example('persons count on the days of the project', {
    query: trends(of('page', { math: 'dau' })),
    answer: { page: [2, 2, 0] },
    because: 'Ann and Bob on Monday; Bob, after midnight in Berlin, and Cem on Tuesday.',
  });

  history(
    `
    ann  page  2024-04-30 21:59
    ann  page  2024-04-30 22:00
  `,
    { project: { timezone: 'Europe/Berlin' } },
  ).example('months begin at midnight of the project', {
    query: trends(of('page'), { interval: 'month', ...dates('2024-04-01', '2024-05-31') }),
    answer: { page: [1, 1] },
    because: '22:00 UTC on 30 April is midnight of 1 May in Berlin.',
  });
});

describe('clocks put forward', () => {
  // in Berlin 02:00 becomes 03:00 on 31 March 2024
  const spring = history(
    `
    ann  page  2024-03-30 23:30+01:00
    ann  page  2024-03-31 00:30+01:00
    ann  page  2024-03-31 01:30+01:00
    bob  page  2024-03-31 03:00+02:00
    bob  page  2024-03-31 23:30+02:00
    bob  page  2024-04-01 00:00+02:00
  `,
    { project: { timezone: 'Europe/Berlin' } },
  );

  spring.example('the day has 23 hours and ends at its own midnight', {
    query: trends(of('page'), dates('2024-03-30', '2024-04-01')),
    answer: { page: [1, 4, 1] },
    because: "Ann at half past eleven is on the 30th. Bob's last is at midnight of 1 April by the new time.",
  });

  spring.example('the hour that is skipped is not shown', {
    query: trends(of('page'), {
      interval: 'hour',
      ...dates('2024-03-31 00:00', '2024-03-31 04:00', { explicitDate: true }),
    }),
    answer: { page: [1, 1, 1] },
    because: 'After one o’clock comes three o’clock.',
    days: ['2024-03-31 00:00:00', '2024-03-31 01:00:00', '2024-03-31 03:00:00'],
  });

  spring.example('a week with the change is one week', {
    query: trends(of('page', { math: 'dau' }), { interval: 'week', ...dates('2024-03-24', '2024-04-06') }),
    answer: { page: [1, 2] },
    because: 'Ann on Saturday the 30th; she and Bob in the week that begins on Sunday the 31st.',
  });
});

describe('clocks put back', () => {
  // in Berlin 03:00 becomes 02:00 on 29 October 2023
  const autumn = history(
    `
    ann  page  2023-10-28 23:59+02:00
    ann  page  2023-10-29 00:00+02:00
    ann  page  2023-10-29 02:30+02:00
    ann  page  2023-10-29 02:30+01:00
    bob  page  2023-10-29 23:59+01:00
    bob  page  2023-10-30 00:00+01:00
  `,
    { project: { timezone: 'Europe/Berlin' } },
  );

  autumn.example('the day has 25 hours and ends at its own midnight', {
    query: trends(of('page'), dates('2023-10-28', '2023-10-30')),
    answer: { page: [1, 4, 1] },
    because: 'Half past two comes twice on the 29th, and both count on it.',
  });

  autumn.example('the hour that comes twice is two hours', {
    query: trends(of('page'), { interval: 'hour', ...dates('2023-10-29', '2023-10-29') }),
    answer: { page: [1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] },
    because: 'Ann at midnight, in the first and in the second two o’clock; Bob in the last of 25 hours.',
  });
});

describe('comparison with an earlier period', () => {
  const weeks = history(`
    ann  page  2024-04-06 10:00
    ann  page  2024-04-30 10:00
    ann  page  2024-05-03 10:00
    bob  page  2024-05-03 11:00
    ann  page  2024-05-04 10:00
    ann  page  Mon 10:00
    bob  page  Mon 11:00
    cem  page  Wed 12:00
  `);

  weeks.example('three days are compared with the three days before them', {
    query: trends(of('page'), { compareFilter: { compare: true } }),
    answer: { page: [2, 0, 1], 'page before': [2, 1, 0] },
    because: 'Before Monday to Wednesday come Friday 3 May, with two, Saturday with one, and Sunday.',
  });

  weeks.example('persons of the whole time are compared with those of the time before', {
    query: trends(of('page', { math: 'dau' }), { ...TOTAL, compareFilter: { compare: true } }),
    answer: { page: 3, 'page before': 2 },
    because: 'Ann, Bob and Cem; from Friday to Sunday Ann and Bob.',
  });

  weeks.example('compare_to -7d compares with the same days of the week before', {
    query: trends(of('page'), { compareFilter: { compare: true, compare_to: '-7d' } }),
    answer: { page: [2, 0, 1], 'page before': [0, 1, 0] },
    because: 'Monday 29 April has none, Tuesday the 30th has one.',
  });

  weeks.example('compare_to -1m compares with the same dates of the month before', {
    query: trends(of('page'), { compareFilter: { compare: true, compare_to: '-1m' } }),
    answer: { page: [2, 0, 1], 'page before': [1, 0, 0] },
    because: 'The 6th, 7th and 8th of April: Ann came on the 6th.',
  });

  weeks.example('formulas are compared, too', {
    query: trends([of('page'), of('page', { math: 'dau' })], {
      ...TOTAL,
      trendsFilter: { formula: 'A / B', display: 'BoldNumber' },
      compareFilter: { compare: true },
    }),
    answer: { 'Formula (A / B)': 1, 'Formula (A / B) before': 1.5 },
    because: 'Three events of three persons; before, three of two.',
  });
});
