import { describe } from 'vitest';
import { exampleHistories, of, TOTAL, trends } from '../../testing/examples.js';

/* What is made of the numbers in properties, of several series and of several intervals. */

const history = exampleHistories();

describe('numeric properties', () => {
  const week = history(`
    ann  buy  Mon 09:00  {amount: 10}
    ann  buy  Mon 10:00  {amount: 20}
    bob  buy  Mon 11:00  {amount: 30}
    bob  buy  Mon 12:00  {amount: 40}
    cem  buy  Mon 13:00  {amount: plenty}
    cem  buy  Mon 14:00
    ann  buy  Tue 09:00  {amount: "-2.5"}
    ann  buy  Tue 10:00  {amount: 3}
  `);
  const statistics: [string, number, number, string][] = [
    ['sum', 100, 0.5, '10 + 20 + 30 + 40; -2.5 + 3'],
    ['avg', 25, 0.25, '100 / 4; 0.5 / 2'],
    ['min', 10, -2.5, 'the lowest'],
    ['max', 40, 3, 'the highest'],
    ['median', 25, 0.25, 'halfway between 20 and 30; between -2.5 and 3'],
    ['p75', 32.5, 1.625, '75 % of the way from the lowest to the highest of numbers that are equally far apart'],
    ['p90', 37, 2.45, '90 % of that way'],
    ['p95', 38.5, 2.725, '95 % of that way'],
    ['p99', 39.7, 2.945, '99 % of that way'],
  ];
  for (const [math, monday, tuesday, because] of statistics) {
    week.example(`${math} of a property looks at each event that has a number`, {
      query: trends(of('buy', { math, math_property: 'amount' })),
      answer: { buy: [monday, tuesday, 0] },
      because: `${because}. A text that is a number is one; "plenty" and nothing are not looked at. No numbers on Wednesday: 0.`,
    });
  }

  week.example('avg as one number is the mean of all events and not of the days', {
    query: trends(of('buy', { math: 'avg', math_property: 'amount' }), TOTAL),
    answer: { buy: 16.75 },
    because: '(10 + 20 + 30 + 40 - 2.5 + 3) / 6.',
  });

  week.example('max as one number is the highest of the whole time', {
    query: trends(of('buy', { math: 'max', math_property: 'amount' }), TOTAL),
    answer: { buy: 40 },
    because: 'The highest of Monday; the highest numbers of the days are not added.',
  });

  week.example('sum of a property with a filter leaves the others out', {
    query: trends(
      of('buy', {
        math: 'sum',
        math_property: 'amount',
        properties: [{ type: 'event', key: 'amount', operator: 'gt', value: 20 }],
      }),
    ),
    answer: { buy: [70, 0, 0] },
    because: '30 + 40.',
  });
});

describe('numbers of events by person', () => {
  const week = history(`
    ann  page  Mon 09:00  {$set: {age: 20}}
    ann  page  Mon 10:00
    bob  page  Mon 11:00  {$set: {age: 50}}
    cem  page  Tue 12:00
    ann  bday  Thu 00:00  {age: 99, $set: {age: 21}}
  `);

  week.example('a property of the person is looked at once for each event, with the value it has now', {
    query: trends(of('page', { math: 'avg', math_property: 'age', math_property_type: 'person_properties' })),
    answer: { page: [30.666667, 0, 0] },
    because: 'Ann is 21 by now: (21 + 21 + 50) / 3. Cem has no age.',
  });

  week.example('a number of the event is not that of the person', {
    query: trends(of('bday', { math: 'sum', math_property: 'age', math_property_type: 'numerical_event_properties' }), {
      dateRange: { date_from: '2024-05-09', date_to: '2024-05-09' },
    }),
    answer: { bday: [99] },
    because: 'The event itself says 99, whatever the person has by now.',
  });

  week.example('max of a property of persons', {
    query: trends(of('page', { math: 'max', math_property: 'age', math_property_type: 'person_properties' })),
    answer: { page: [50, 0, 0] },
    because: 'Bob is the oldest of the people with an event on Monday.',
  });
});

describe('formulas', () => {
  const week = history(`
    ann  view  Mon 09:00
    bob  view  Mon 10:00
    cem  view  Mon 11:00
    ann  view  Mon 12:00
    ann  buy   Mon 13:00
    ann  view  Tue 09:00
    ann  buy   Tue 10:00
    bob  buy   Wed 10:00
  `);
  const [views, buys] = [of('view'), of('buy')];
  // views 4, 1, 0; purchases 1, 1, 1
  const formulas: [string, number[], string][] = [
    ['A + B', [5, 2, 1], '4 + 1, 1 + 1, 0 + 1'],
    ['A - B', [3, 0, -1], '4 - 1, 1 - 1, 0 - 1'],
    ['B / A * 100', [25, 100, 0], 'a quarter, all; nothing can be divided by no views, which is shown as 0'],
    ['A + B * 2', [6, 3, 2], 'products before sums'],
    ['(A + B) * 2', [10, 4, 2], 'what is in parentheses first'],
    ['A ^ 2', [16, 1, 0], '4², 1², 0²'],
    ['A % 3', [1, 1, 0], 'what is left of 4, 1 and 0 divided by 3'],
    ['-B + 10', [9, 9, 9], 'a sign in front'],
  ];
  for (const [formula, data, because] of formulas) {
    week.example(`${formula} is computed for each day`, {
      query: trends([views, buys], { trendsFilter: { formula } }),
      answer: { [`Formula (${formula})`]: data },
      because: `There are 4, 1 and 0 views, and a purchase a day: ${because}.`,
    });
  }

  week.example('a formula of one number a line is computed from the numbers of the whole time', {
    query: trends([of('view', { math: 'dau' }), of('buy', { math: 'dau' })], {
      trendsFilter: { formula: 'B / A * 100', display: 'BoldNumber' },
    }),
    answer: { 'Formula (B / A * 100)': 66.666667 },
    because: 'Ann, Bob and Cem saw something, Ann and Bob bought: 2 / 3.',
  });

  week.example('several formulas are several lines, and may have names', {
    query: trends([views, buys], {
      trendsFilter: { formulaNodes: [{ formula: 'A + B', custom_name: 'All' }, { formula: 'B' }] },
    }),
    answer: { All: [5, 2, 1], 'Formula (B)': [1, 1, 1] },
    because: 'The first has a name of its own.',
  });

  week.example('a series of a formula counts by its own math', {
    query: trends([views, of('view', { math: 'dau' })], { trendsFilter: { formula: 'A / B' } }),
    answer: { 'Formula (A / B)': [1.333333, 1, 0] },
    because: 'Views for each person: 4 of 3 on Monday, 1 of 1 on Tuesday.',
  });
});

describe('smoothing and cumulative sums', () => {
  const week = history(`
    ann  page  Mon 09:00
    bob  page  Mon 10:00
    cem  page  Mon 11:00
    ann  page  Tue 09:00
    ann  page  Wed 09:00
    bob  page  Wed 09:00
  `);

  week.example('smoothing over two days is the mean of each with the one before', {
    query: trends(of('page'), { trendsFilter: { smoothingIntervals: 2 } }),
    answer: { page: [3, 2, 1.5] },
    because: 'Monday has none before it that is shown: 3. Then (3 + 1) / 2 and (1 + 2) / 2.',
  });

  week.example('smoothing over more days than there are takes those that are there', {
    query: trends(of('page'), { trendsFilter: { smoothingIntervals: 7 } }),
    answer: { page: [3, 2, 2] },
    because: '3, (3 + 1) / 2 and (3 + 1 + 2) / 3.',
  });

  week.example('a cumulative line adds the events up', {
    query: trends(of('page'), { trendsFilter: { display: 'ActionsLineGraphCumulative' } }),
    answer: { page: [3, 4, 6] },
    because: '3, 3 + 1, 3 + 1 + 2.',
  });

  for (const display of ['ActionsLineGraph', 'ActionsBar', 'ActionsAreaGraph', 'ActionsStackedBar', 'ActionsUnstackedBar']) {
    week.example(`${display} has a number for each day`, {
      query: trends(of('page', { math: 'dau' }), { trendsFilter: { display } }),
      answer: { page: [3, 1, 2] },
      because: 'The shape of the chart does not change the numbers.',
    });
  }

  for (const display of ['BoldNumber', 'ActionsPie', 'ActionsBarValue', 'ActionsTable', 'WorldMap']) {
    week.example(`${display} has one number for the whole time`, {
      query: trends(of('page', { math: 'dau' }), { trendsFilter: { display } }),
      answer: { page: 3 },
      because: 'Ann, Bob and Cem.',
    });
  }
});

describe('durations of sessions', () => {
  const week = history(`
    ann  page  Mon 09:00:00  {$session_id: a1, os: mac}
    ann  page  Mon 09:00:30  {$session_id: a1, os: mac}
    ann  buy   Mon 09:01:40  {$session_id: a1, os: mac}
    bob  page  Mon 23:59:00  {$session_id: b1, os: linux}
    bob  page  Tue 00:02:20  {$session_id: b1, os: mac}
    cem  page  Tue 10:00:00  {$session_id: c1, os: linux}
    dan  page  Wed 10:00:00
  `);
  const lengths = (math: string, event = 'page') =>
    of(event, { math, math_property: '$session_duration', math_property_type: 'session_properties' });

  week.example('a session counts once a day, with its whole length', {
    query: trends(lengths('sum')),
    answer: { page: [300, 200, 0] },
    because: "On Monday Ann's of 100 seconds, also with the purchase, and Bob's of 200; on Tuesday Bob's again and Cem's of 0.",
  });

  week.example('the mean is that of sessions, and not of events', {
    query: trends(lengths('avg')),
    answer: { page: [150, 100, 0] },
    because: '300 seconds of two sessions on Monday, 200 of two on Tuesday. Dan has no session.',
  });

  week.example('over the whole time each session counts once', {
    query: trends(lengths('avg'), TOTAL),
    answer: { page: 100 },
    because: '100, 200 and 0 seconds.',
  });

  week.example('the median and the extremes are those of sessions', {
    query: trends([lengths('median'), { ...lengths('max'), custom_name: 'longest' }], TOTAL),
    answer: { page: 100, longest: 200 },
    because: "Ann's is the one in the middle, Bob's the longest.",
  });

  week.example('only sessions with an event of the series count', {
    query: trends(lengths('sum', 'buy')),
    answer: { buy: [100, 0, 0] },
    because: 'Nobody but Ann bought.',
  });

  week.example('a session with two values counts with each of them', {
    query: trends(lengths('sum'), { ...TOTAL, breakdownFilter: { breakdown: 'os' } }),
    answer: { mac: 300, linux: 200 },
    because: "Bob's has an event on linux and one on mac. Cem's on linux has no length, and Dan has no session.",
  });

  week.example('beyond the limit it counts once', {
    query: trends(lengths('sum'), { ...TOTAL, breakdownFilter: { breakdown: '$session_id', breakdown_limit: 1 } }),
    answer: { b1: 200, Other: 100 },
    because: "Of the others Ann's has 100 seconds, Cem's none.",
  });
});
