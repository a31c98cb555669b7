import { describe } from 'vitest';
import { exampleHistories, of, TOTAL, trends } from '../../testing/examples.js';

/* Breakdowns, and which values they show. */

const history = exampleHistories();

describe('breakdowns by properties of events', () => {
  const week = history(`
    ann  page  Mon 09:00  {browser: Chrome, os: mac}
    ann  page  Mon 10:00  {browser: Safari, os: mac}
    bob  page  Mon 11:00  {browser: Chrome, os: linux}
    bob  page  Tue 09:00  {browser: Firefox, os: linux}
    cem  page  Tue 10:00  {browser: Chrome}
    cem  page  Wed 10:00  {browser: ""}
    dan  page  Wed 11:00
  `);
  const by = (fields: object) => ({ breakdownFilter: fields });

  week.example('each value is a line; events without a value are one, too', {
    query: trends(of('page'), by({ breakdown: 'browser' })),
    answer: { Chrome: [2, 1, 0], Firefox: [0, 1, 0], Safari: [1, 0, 0], None: [0, 0, 2] },
    because: "An empty text is no value, like Dan's event without the property.",
  });

  week.example('a person counts once for each value', {
    query: trends(of('page', { math: 'dau' }), by({ breakdown: 'browser' })),
    answer: { Chrome: [2, 1, 0], Firefox: [0, 1, 0], Safari: [1, 0, 0], None: [0, 0, 2] },
    because: 'On Monday Ann is one of the persons with Chrome, beside Bob, and the only one with Safari.',
  });

  week.example('persons of the whole time count once for each value', {
    query: trends(of('page', { math: 'dau' }), { ...TOTAL, ...by({ breakdown: 'browser' }) }),
    answer: { Chrome: 3, Firefox: 1, Safari: 1, None: 2 },
    because: 'Ann, Bob and Cem had Chrome; Cem and Dan came without a browser.',
  });

  week.example('values beyond the limit are one line', {
    query: trends(of('page'), by({ breakdown: 'browser', breakdown_limit: 1 })),
    answer: { Chrome: [2, 1, 0], Other: [1, 1, 2] },
    because: 'Chrome has the most events. Other: Safari on Monday, Firefox on Tuesday, and those without one on Wednesday.',
  });

  week.example('persons of the values beyond the limit count once', {
    query: trends(of('page', { math: 'dau' }), { ...TOTAL, ...by({ breakdown: 'os', breakdown_limit: 1 }) }),
    answer: { None: 2, Other: 2 },
    because: 'Nobody came with more than one of them: Cem and Dan without a system, Ann with mac, Bob with linux.',
  });

  week.example('values beyond the limit can be left out', {
    query: trends(of('page'), by({ breakdown: 'browser', breakdown_limit: 1, breakdown_hide_other_aggregation: true })),
    answer: { Chrome: [2, 1, 0] },
    because: 'Only the value with the most events is shown.',
  });

  week.example('two properties make a line for each pair that is there', {
    query: trends(of('page'), by({ breakdowns: [{ property: 'browser' }, { property: 'os' }] })),
    answer: {
      'Chrome::mac': [1, 0, 0],
      'Chrome::linux': [1, 0, 0],
      'Safari::mac': [1, 0, 0],
      'Firefox::linux': [0, 1, 0],
      'Chrome::None': [0, 1, 0],
      'None::None': [0, 0, 2],
    },
    because: 'Each event has one pair. Nobody used Safari on linux.',
  });

  week.example('a filter comes before the breakdown', {
    query: trends(of('page'), {
      ...by({ breakdown: 'browser' }),
      properties: [{ type: 'event', key: 'os', value: 'linux' }],
    }),
    answer: { Chrome: [1, 0, 0], Firefox: [0, 1, 0] },
    because: "Only Bob's events are of linux.",
  });

  week.example('a formula is computed for each value', {
    query: trends([of('page'), of('page', { math: 'dau' })], {
      ...by({ breakdown: 'os' }),
      trendsFilter: { formula: 'A / B' },
    }),
    answer: { mac: [2, 0, 0], linux: [1, 1, 0], None: [0, 1, 1] },
    because: 'On mac there are two events of one person on Monday; no events by no persons are 0.',
  });

  week.example('two series have lines of their own for each value', {
    query: trends([of('page'), of('page', { custom_name: 'people', math: 'dau' })], by({ breakdown: 'os' })),
    answer: {
      'page - mac': [2, 0, 0],
      'page - linux': [1, 1, 0],
      'page - None': [0, 1, 2],
      'people - mac': [1, 0, 0],
      'people - linux': [1, 1, 0],
      'people - None': [0, 1, 2],
    },
    because: "Ann's two events on mac are of one person.",
  });
});

describe('displayed values', () => {
  const week = history(`
    ann  page  Wed 09:00  {os: mac}
    ann  page  Wed 10:00  {os: mac}
    bob  page  Wed 11:00  {os: linux}
    bob  buy   Wed 12:00  {os: linux, amount: 20}
    cem  buy   Thu 12:00  {os: bsd, amount: 12}
    dan  page  Thu 13:00
    dan  buy   Thu 14:00
    eve  page  Mon 09:00  {os: beos}
    eve  buy   Tue 09:00  {os: beos, amount: 0}
    eve  buy   Tue 10:00  {os: beos, amount: 10}
  `);
  const dateRange = { date_from: '2024-05-08', date_to: '2024-05-09' };
  const by = { breakdown: 'os', breakdown_limit: 2 };

  week.example('each series has its own values', {
    query: trends([of('page'), of('buy')], { dateRange, breakdownFilter: by }),
    answer: {
      'page - mac': [2, 0],
      'page - linux': [1, 0],
      'page - Other': [0, 1],
      'buy - bsd': [0, 1],
      'buy - linux': [1, 0],
      'buy - Other': [0, 1],
    },
    because: 'Nobody bought on mac, and bsd has no pages. Of one event each, those with a value come before the one without.',
  });

  week.example('the series of a formula show the same values: those with the largest numbers in all of them', {
    query: trends([of('page'), of('buy')], { dateRange, breakdownFilter: by, trendsFilter: { formula: 'A + 10 * B' } }),
    answer: { linux: [11, 0], mac: [2, 0], Other: [0, 21] },
    because: 'linux and mac have two events, and so have those without a system, which come last. bsd has one.',
  });

  week.example('the time before has values of its own', {
    query: trends(of('page'), { dateRange, breakdownFilter: by, compareFilter: { compare: true } }),
    answer: { mac: [2, 0], linux: [1, 0], Other: [0, 1], 'beos before': [1, 0] },
    because: 'On Monday and Tuesday there was only beos: it is not one of the others.',
  });

  week.example('values of the time before are shown where the present has none', {
    query: trends(of('buy'), {
      dateRange: { date_from: '2024-05-10', date_to: '2024-05-11' },
      breakdownFilter: by,
      compareFilter: { compare: true },
    }),
    answer: { 'bsd before': [0, 1], 'linux before': [1, 0], 'Other before': [0, 1] },
    because: 'Nobody bought on Friday and Saturday, but on the two days before.',
  });

  week.example('ranges of numbers are the same ones in both times', {
    query: trends(of('buy'), {
      dateRange,
      breakdownFilter: { breakdown: 'amount', breakdown_histogram_bin_count: 2 },
      compareFilter: { compare: true },
    }),
    answer: { '[10,20]': [1, 1], None: [0, 1], '[0,10] before': [0, 1], '[10,20] before': [0, 1] },
    because: 'From 0 to 20 over both times, and not once from 12 to 20 and once from 0 to 10.',
  });
});

describe('breakdowns by numbers and URLs', () => {
  const week = history(`
    ann  buy  Mon 09:00  {amount: 10, url: "https://x.example/a/"}
    ann  buy  Mon 10:00  {amount: 20, url: "https://x.example/a"}
    bob  buy  Mon 11:00  {amount: 30, url: "https://x.example/b"}
    bob  buy  Tue 12:00  {amount: 40, url: "https://x.example/b"}
    cem  buy  Tue 13:00  {url: "https://x.example/a"}
  `);

  week.example('a histogram cuts from the lowest to the highest number into ranges of equal size', {
    query: trends(of('buy'), { breakdownFilter: { breakdown: 'amount', breakdown_histogram_bin_count: 3 } }),
    answer: { '[10,20]': [1, 0, 0], '[20,30]': [1, 0, 0], '[30,40]': [1, 1, 0], None: [0, 1, 0] },
    because: 'A number on an edge belongs to the range above it; the highest to the last. Cem paid no amount.',
  });

  week.example('addresses with and without a slash at the end can be one value', {
    query: trends(of('buy'), { breakdownFilter: { breakdown: 'url', breakdown_normalize_url: true } }),
    answer: { 'https://x.example/a': [2, 1, 0], 'https://x.example/b': [1, 1, 0] },
    because: 'Ann bought at /a/ and at /a.',
  });

  week.example('URLs that differ in a trailing slash are separate by default', {
    query: trends(of('buy'), { breakdownFilter: { breakdown: 'url' } }),
    answer: { 'https://x.example/b': [1, 1, 0], 'https://x.example/a': [1, 1, 0], 'https://x.example/a/': [1, 0, 0] },
    because: "Ann's first purchase was at /a/.",
  });
});

describe('breakdowns by properties of persons and groups, and by cohort', () => {
  const staff = { type: 'person', key: 'email', operator: 'icontains', value: '@tidemark.example' };
  const paying = { type: 'person', key: 'plan', value: 'pro' };
  const week = history(
    `
    ann  page             Mon 09:00  {$set: {plan: free, email: ann@tidemark.example}, $groups: {company: acme}}
    bob  page             Mon 10:00  {$set: {plan: pro}, $groups: {company: acme}}
    cem  page             Mon 11:00  {$groups: {company: bolt}}
    ann  page             Tue 09:00  {$set: {plan: pro}, $groups: {company: acme}}
    bob  $groupidentify   Thu 09:00  {$group_type: company, $group_key: acme, $group_set: {size: large}}
  `,
    { cohorts: { staff: [staff], paying: [paying] } },
  );

  week.example('a property of the person has the value that it has now', {
    query: trends(of('page'), { breakdownFilter: { breakdown: 'plan', breakdown_type: 'person' } }),
    answer: { pro: [2, 1, 0], None: [1, 0, 0] },
    because: "Ann was free on Monday and is pro by now: her event of Monday is one of a person who's pro.",
  });

  week.example('a property of the group has the value that it has now', {
    query: trends(of('page'), {
      breakdownFilter: { breakdown: 'size', breakdown_type: 'group', breakdown_group_type_index: 0 },
    }),
    answer: { large: [2, 1, 0], None: [1, 0, 0] },
    because: 'Acme was called large on Thursday, of which events of Monday are, too. Nothing is known of Bolt.',
  });

  week.example('a person in two cohorts counts in both', {
    query: ({ staff = 0, paying = 0 }) =>
      trends(of('page', { math: 'dau' }), { breakdownFilter: { breakdown: [staff, paying, 'all'], breakdown_type: 'cohort' } }),
    answer: { staff: [1, 1, 0], paying: [2, 1, 0], 'All users': [3, 1, 0] },
    because: 'Ann is of the staff and, by now, pays, as Bob does. Cem is in no cohort, and one of all.',
  });

  week.example('a filter by cohort keeps the events of its persons', {
    query: ({ staff }) => trends(of('page'), { properties: [{ type: 'cohort', key: 'id', value: staff }] }),
    answer: { page: [1, 1, 0] },
    because: 'Only Ann has an address of the company.',
  });

  week.example('a filter by a property of the group keeps the events of such groups', {
    query: trends(of('page'), { properties: [{ type: 'group', group_type_index: 0, key: 'size', value: 'large' }] }),
    answer: { page: [2, 1, 0] },
    because: "Cem's company is not known to be large.",
  });

  week.example('a property of persons and one of events together', {
    query: trends(of('page', { math: 'dau' }), {
      breakdownFilter: {
        breakdowns: [
          { property: 'plan', type: 'person' },
          { property: 'size', type: 'group', group_type_index: 0 },
        ],
      },
    }),
    answer: { 'pro::large': [2, 1, 0], 'None::None': [1, 0, 0] },
    because: 'Ann and Bob are pro and of Acme; of Cem and Bolt nothing is known.',
  });
});

describe('filters', () => {
  const week = history(
    `
    ann  page  Mon 09:00  {plan: pro, amount: 5}
    bob  page  Mon 10:00  {plan: free, amount: 10, $set: {email: bob@tests.example}}
    cem  page  Mon 11:00  {amount: "15"}
    bob  page  Tue 10:00  {plan: free}
  `,
    { project: { test_account_filters: [{ type: 'person', key: 'email', operator: 'not_icontains', value: '@tests.example' }] } },
  );
  const filters: [string, object, number[], string][] = [
    ['exact', { operator: 'exact', key: 'plan', value: ['pro'] }, [1, 0, 0], "Ann's"],
    ['is_not', { operator: 'is_not', key: 'plan', value: ['pro'] }, [2, 1, 0], "Bob's, and Cem's without a plan"],
    ['is_set', { operator: 'is_set', key: 'plan' }, [2, 1, 0], 'Cem has no plan'],
    ['is_not_set', { operator: 'is_not_set', key: 'plan' }, [1, 0, 0], "Cem's"],
    ['icontains', { operator: 'icontains', key: 'plan', value: 'R' }, [2, 1, 0], 'there is an r in pro and in free'],
    ['regex', { operator: 'regex', key: 'plan', value: '^f' }, [1, 1, 0], 'free begins with f'],
    ['gt', { operator: 'gt', key: 'amount', value: 5 }, [2, 0, 0], '10, and the text 15, are more than 5'],
    ['lt', { operator: 'lt', key: 'amount', value: 15 }, [2, 0, 0], '5 and 10; an event without an amount is not less'],
  ];
  for (const [operator, filter, data, because] of filters) {
    week.example(`${operator} keeps the events that fit`, {
      query: trends(of('page'), { properties: [{ type: 'event', ...filter }] }),
      answer: { page: data },
      because: `${because}.`,
    });
  }

  week.example('a tree of filters holds where one of its branches does', {
    query: trends(of('page'), {
      properties: {
        type: 'OR',
        values: [
          { type: 'AND', values: [{ type: 'event', key: 'plan', value: 'pro' }] },
          { type: 'AND', values: [{ type: 'event', key: 'amount', operator: 'gt', value: 12 }] },
        ],
      },
    }),
    answer: { page: [2, 0, 0] },
    because: 'Ann is pro; Cem has 15.',
  });

  week.example('test accounts can be left out', {
    query: trends(of('page', { math: 'dau' }), { filterTestAccounts: true }),
    answer: { page: [2, 0, 0] },
    because: "Bob's address is one of tests.",
  });

  week.example('test accounts count otherwise', {
    query: trends(of('page', { math: 'dau' })),
    answer: { page: [3, 1, 0] },
    because: 'Nothing is left out.',
  });
});
