import { describe } from 'vitest';
import { exampleHistories, MON_TO_WED, of, TOTAL, trends } from '../../testing/examples.js';

/* What each math counts: events, persons, sessions, groups and first times. */

const history = exampleHistories();

describe('events and persons', () => {
  const week = history(`
    ann  page  Mon 09:00
    ann  page  Mon 17:00
    bob  page  Mon 10:00
    ann  page  Tue 09:00
    cem  buy   Tue 11:00
    bob  page  Wed 23:59:59.999
    bob  page  Thu 00:00
  `);

  week.example('total counts every event', {
    query: trends(of('page')),
    answer: { page: [3, 1, 1] },
    because: "On Monday two are Ann's and one is Bob's. Bob's at midnight belongs to Thursday, which is not asked for.",
  });

  week.example('dau counts each person once a day', {
    query: trends(of('page', { math: 'dau' })),
    answer: { page: [2, 1, 1] },
    because: 'Ann did it twice on Monday and counts once; Bob is the second person.',
  });

  week.example('dau as one number counts each person once in the whole time', {
    query: trends(of('page', { math: 'dau' }), TOTAL),
    answer: { page: 2 },
    because: 'Ann came on two days, Bob on two: they are two persons, not 2 + 1 + 1.',
  });

  week.example('a series without an event counts all events', {
    query: trends(of(null)),
    answer: { 'All events': [3, 2, 1] },
    because: "Tuesday has Ann's page and Cem's purchase.",
  });

  week.example('a day without events is a zero and not a gap', {
    query: trends(of('buy')),
    answer: { buy: [0, 1, 0] },
    because: 'Cem bought on Tuesday; Monday and Wednesday are shown nevertheless.',
  });

  week.example('an event that never was is a line of zeros', {
    query: trends(of('refund')),
    answer: { refund: [0, 0, 0] },
    because: 'Nobody got a refund.',
  });

  week.example('several series are several lines', {
    query: trends([of('page'), of('buy', { math: 'dau' })]),
    answer: { page: [3, 1, 1], buy: [0, 1, 0] },
    because: 'Each series counts by its own math.',
  });
});

describe('persons active in the last days', () => {
  const month = history(`
    old  page  2024-04-06 23:59
    eve  page  2024-04-07 00:00
    ann  page  2024-04-30 10:00
    bob  page  Mon 09:00
    bob  page  Tue 09:00
  `);

  month.example('weekly_active by days counts who was active in the seven days that end with each', {
    query: trends(of('page', { math: 'weekly_active' })),
    answer: { page: [2, 1, 1] },
    because: "The seven days of Monday begin on 30 April, when Ann came; those of Tuesday begin on 1 May, when she didn't.",
  });

  month.example('monthly_active by days counts who was active in the thirty days that end with each', {
    query: trends(of('page', { math: 'monthly_active' })),
    answer: { page: [3, 2, 2] },
    because: 'The thirty days of Monday begin on 7 April at midnight: Eve, Ann and Bob. Those of Tuesday begin after Eve.',
  });

  month.example('weekly_active as one number looks back from the end of the time', {
    query: trends(of('page', { math: 'weekly_active' }), TOTAL),
    answer: { page: 1 },
    because: 'The seven days that end with Wednesday begin on 2 May: only Bob came since.',
  });

  month.example('monthly_active as one number looks back from the end of the time', {
    query: trends(of('page', { math: 'monthly_active' }), TOTAL),
    answer: { page: 2 },
    because: 'The thirty days that end with Wednesday begin on 9 April: Ann and Bob.',
  });
});

describe('sessions', () => {
  const week = history(`
    ann  page  Mon 09:00  {$session_id: s1}
    ann  page  Mon 09:05  {$session_id: s1}
    ann  page  Mon 23:58  {$session_id: s2}
    ann  page  Tue 00:05  {$session_id: s2}
    bob  page  Tue 10:00
  `);

  week.example('unique_session counts each session once a day', {
    query: trends(of('page', { math: 'unique_session' })),
    answer: { page: [2, 1, 0] },
    because: 'The session over midnight counts on both days; the event without a session is in none.',
  });

  week.example('unique_session as one number counts each session once', {
    query: trends(of('page', { math: 'unique_session' }), TOTAL),
    answer: { page: 2 },
    because: 'There are two sessions, although one of them is on two days.',
  });
});

describe('groups', () => {
  const week = history(`
    ann  page  Mon 09:00  {$groups: {company: acme}}
    bob  page  Mon 10:00  {$groups: {company: acme}}
    cem  page  Mon 11:00  {$groups: {company: bolt}}
    dan  page  Mon 12:00
    ann  page  Tue 09:00  {$groups: {company: bolt, team: red}}
  `);

  week.example('unique_group counts each group once a day', {
    query: trends(of('page', { math: 'unique_group', math_group_type_index: 0 })),
    answer: { page: [2, 1, 0] },
    because: 'On Monday Acme (by Ann and Bob) and Bolt; Dan acts for no company. On Tuesday Bolt alone.',
  });

  week.example('unique_group counts groups of one type', {
    query: trends(of('page', { math: 'unique_group', math_group_type_index: 1 })),
    answer: { page: [0, 1, 0] },
    because: 'Teams are the second type of groups of this project: the red team came on Tuesday.',
  });

  week.example('unique_group as one number counts each group once', {
    query: trends(of('page', { math: 'unique_group', math_group_type_index: 0 }), TOTAL),
    answer: { page: 2 },
    because: 'Acme and Bolt, however many days they came on.',
  });

  week.example('max_count_per_actor of groups is the most events that any group has', {
    query: trends(of('page', { math: 'max_count_per_actor', math_group_type_index: 0 })),
    answer: { page: [2, 1, 0] },
    because: 'Acme has two events on Monday and Bolt one; events of no company are not looked at.',
  });

  week.example('avg_count_per_actor of groups is the mean of their events', {
    query: trends(of('page', { math: 'avg_count_per_actor', math_group_type_index: 0 })),
    answer: { page: [1.5, 1, 0] },
    because: 'Monday: (2 + 1) / 2.',
  });
});

describe('first events', () => {
  const week = history(`
    ann  join  2024-05-01 10:00  {plan: free}
    ann  join  Mon 09:00         {plan: pro}
    bob  join  Mon 10:00         {plan: free}
    bob  join  Tue 10:00         {plan: pro}
    cem  page  Mon 08:00
    cem  join  Tue 11:00         {plan: pro}
  `);

  week.example('first_time_for_user counts persons by their first event of this name ever', {
    query: trends(of('join', { math: 'first_time_for_user' })),
    answer: { join: [1, 1, 0] },
    because: "Ann's first was on 1 May, before the time asked for. Bob's is on Monday. Cem's is on Tuesday: a page is no join.",
  });

  week.example('first_time_for_user with a filter wants the first event to fit, and not the first that fits', {
    query: trends(of('join', { math: 'first_time_for_user', properties: [{ type: 'event', key: 'plan', value: 'pro' }] })),
    answer: { join: [0, 1, 0] },
    because: "Bob's first join is free. Only Cem's is pro.",
  });

  week.example('first_time_for_user as one number counts them together', {
    query: trends(of('join', { math: 'first_time_for_user' }), TOTAL),
    answer: { join: 2 },
    because: 'Bob and Cem.',
  });

  week.example('first_time_for_user of all events is when a person first did anything', {
    query: trends(of(null, { math: 'first_time_for_user' })),
    answer: { 'All events': [2, 0, 0] },
    because: 'Bob joined and Cem saw a page on Monday; Ann was there before.',
  });
});

describe('events per person', () => {
  const week = history(`
    ann  page  Mon 09:00
    ann  page  Mon 10:00
    ann  page  Mon 11:00
    bob  page  Mon 12:00
    ann  page  Tue 09:00
    ann  page  Tue 10:00
  `);
  // on Monday Ann has 3 and Bob 1; on Tuesday Ann has 2
  const perActor: [string, number, string][] = [
    ['avg_count_per_actor', 2, '(3 + 1) / 2'],
    ['min_count_per_actor', 1, "Bob's"],
    ['max_count_per_actor', 3, "Ann's"],
    ['median_count_per_actor', 2, 'halfway between 1 and 3'],
    ['p75_count_per_actor', 2.5, 'three quarters of the way from 1 to 3'],
    ['p90_count_per_actor', 2.8, 'nine tenths of the way from 1 to 3'],
    ['p95_count_per_actor', 2.9, '95 hundredths of the way from 1 to 3'],
    ['p99_count_per_actor', 2.98, '99 hundredths of the way from 1 to 3'],
  ];
  for (const [math, monday, because] of perActor) {
    week.example(`${math} looks at how many events each person has that day`, {
      query: trends(of('page', { math })),
      answer: { page: [monday, 2, 0] },
      because: `Monday: ${because}. Tuesday: Ann alone has any, who has 2. Who has none is not looked at.`,
    });
  }

  week.example('avg_count_per_actor as one number looks at the whole time', {
    query: trends(of('page', { math: 'avg_count_per_actor' }), TOTAL),
    answer: { page: 3 },
    because: 'Ann has five events from Monday to Wednesday and Bob one: (5 + 1) / 2, and not the mean of the days.',
  });
});

describe('actions', () => {
  const week = history(
    `
    ann  $pageview  Mon 09:00  {$current_url: "https://shop.example/cart"}
    ann  buy        Mon 10:00
    bob  $pageview  Mon 11:00  {$current_url: "https://shop.example/"}
    bob  buy        Tue 11:00
  `,
    {
      actions: {
        engaged: [{ event: '$pageview', url: '/cart', url_matching: 'contains' }, { event: 'buy' }],
      },
    },
  );

  week.example('an action counts the events that match any of its steps', {
    query: (numbers) => trends({ kind: 'ActionsNode', id: numbers['engaged'] }),
    answer: { engaged: [2, 1, 0] },
    because: "Ann's visit of the cart and both purchases; Bob's page is another.",
  });

  week.example('an action counts persons', {
    query: (numbers) => trends({ kind: 'ActionsNode', id: numbers['engaged'], math: 'dau' }),
    answer: { engaged: [1, 1, 0] },
    because: 'Ann did two of these things on Monday, and is one person.',
  });

  week.example('retention can begin with an action', {
    query: (numbers) => ({
      kind: 'RetentionQuery',
      dateRange: MON_TO_WED,
      retentionFilter: {
        targetEntity: { type: 'actions', id: numbers['engaged'] },
        returningEntity: { type: 'events', id: 'buy' },
        totalIntervals: 2,
      },
    }),
    answer: ['2024-05-06', '2024-05-07', '2024-05-08'].map((day, row) => ({
      date: `${day}T00:00:00Z`,
      label: `Day ${row}`,
      values: [
        { count: [1, 1, 0][row], label: 'Day 0' },
        { count: 0, label: 'Day 1' },
      ],
    })),
    because: 'Ann began on Monday and Bob on Tuesday; neither bought on the day after.',
  });
});
