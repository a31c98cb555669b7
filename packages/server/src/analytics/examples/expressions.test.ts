import { describe } from 'vitest';
import { exampleHistories, MON_TO_WED, of, TOTAL, trends } from '../../testing/examples.js';

/* Expressions of SQL in filters, breakdowns, maths and paths; the first event that filters let through. */

const history = exampleHistories();

describe('expressions', () => {
  const week = history(`
    ann  buy  Mon 09:00  {price: 30, count: 2, plan: pro}
    ann  buy  Mon 10:00  {price: 10, count: 1, plan: free}
    bob  buy  Tue 09:00  {price: 5, count: 4, plan: free}
    cem  buy  Tue 23:30  {price: "8", count: 1}
    cem  buy  Wed 10:00  {count: 3, plan: pro}
  `);
  const sum = (math_hogql: string) => of('buy', { math: 'hogql', math_hogql });

  week.example('an aggregate is computed over the events of each interval', {
    query: trends(sum('sum(properties.price * properties.count)')),
    answer: { buy: [70, 28, 0] },
    because: '30 × 2 + 10 on Monday; 5 × 4 + 8 on Tuesday, whose text is a number; nothing has a price on Wednesday.',
  });

  week.example('an aggregate may be made of others', {
    query: trends(sum('sum(properties.price) / count()'), TOTAL),
    answer: { buy: 10.6 },
    because: '53 over five events, the one without a price among them.',
  });

  week.example('what is no finite number is 0', {
    query: trends(sum("sum(properties.price) / countIf(properties.plan = 'gold')"), TOTAL),
    answer: { buy: 0 },
    because: 'Nobody has the plan gold: the quotient is infinite.',
  });

  week.example('a filter lets those events through of which it is true', {
    query: trends(of('buy'), { properties: [{ type: 'hogql', key: 'properties.price * properties.count > 15' }] }),
    answer: { buy: [1, 1, 0] },
    because: 'Ann for 60 and Bob for 20; what is not known, as on Wednesday, is not true.',
  });

  week.example('a filter stands beside others, and may be turned round', {
    query: trends(
      of('buy', {
        properties: [
          { type: 'hogql', key: "properties.plan in ('free', 'gold')", negation: true },
          { type: 'event', key: 'count', operator: 'gt', value: 1 },
        ],
      }),
    ),
    answer: { buy: [1, 0, 1] },
    because: 'Two with the plan pro, at 9:00 on Monday and on Wednesday; those without a plan bought one thing.',
  });

  week.example('values of an expression tell events apart', {
    query: trends(of('buy'), {
      breakdownFilter: { breakdown: "if(properties.price > 9, 'dear', 'cheap')", breakdown_type: 'hogql' },
    }),
    answer: { cheap: [0, 2, 1], dear: [2, 0, 0] },
    because: 'A price that is not known is not above 9.',
  });

  week.example('an expression without a value is none, beside a property', {
    query: trends(of('buy'), {
      ...TOTAL,
      breakdownFilter: {
        breakdowns: [
          { type: 'hogql', property: 'upper(properties.plan)' },
          { type: 'event', property: 'count' },
        ],
      },
    }),
    answer: { 'PRO::2': 1, 'FREE::1': 1, 'FREE::4': 1, 'None::1': 1, 'PRO::3': 1 },
    because: 'Each pair occurs once; Cem bought without a plan on Tuesday.',
  });

  history(
    `
    ann  page  2024-05-06 22:30
    ann  page  2024-05-06 21:30
  `,
    { project: { timezone: 'Europe/Berlin' } },
  ).example('days of an expression begin where the project is', {
    query: trends(of('page'), {
      ...TOTAL,
      breakdownFilter: { breakdown: 'toString(toDate(timestamp))', breakdown_type: 'hogql' },
    }),
    answer: { '2024-05-06': 1, '2024-05-07': 1 },
    because: '22:30 in UTC is half an hour after midnight in Berlin.',
  });

  week.example('an expression may name the person and the session', {
    query: trends(of('buy'), {
      properties: [{ type: 'hogql', key: "distinct_id = 'ann' and session.$session_duration is null" }],
    }),
    answer: { buy: [2, 0, 0] },
    because: 'None of these events was in a session; two were captured for Ann.',
  });

  history(`
    ann  $pageview  Mon 09:00  {$current_url: "https://shop.example/de/cart?id=1"}
    ann  buy        Mon 09:01
    bob  $pageview  Mon 09:00  {$current_url: "https://shop.example/en/cart"}
    bob  buy        Mon 09:03
  `).example('steps of paths can be called by an expression', {
    query: {
      kind: 'PathsQuery',
      dateRange: MON_TO_WED,
      pathsFilter: {
        includeEventTypes: ['hogql'],
        pathsHogQLExpression: "if(event = '$pageview', extract(properties.$current_url, '/([a-z]+)([?]|$)'), null)",
      },
    },
    answer: [{ source: '1_cart', target: '2_buy', value: 2, average_conversion_time: 120_000 }],
    because: 'Both addresses end with the cart; an event without a value keeps its name. One and three minutes lie between.',
  });
});

describe('first events that match the filters', () => {
  const week = history(`
    ann  buy  2024-04-20 09:00  {plan: free}
    ann  buy  Mon 09:00         {plan: pro}
    ann  buy  Tue 09:00         {plan: pro}
    bob  buy  2024-04-20 09:00  {plan: pro}
    bob  buy  Mon 09:00         {plan: pro}
    cem  buy  Wed 09:00         {plan: pro}
  `);
  const first = (math: string) => trends(of('buy', { math, properties: [{ key: 'plan', value: ['pro'] }] }));

  week.example('counts who did that for the first time', {
    query: first('first_matching_event_for_user'),
    answer: { buy: [1, 0, 1] },
    because: "Ann bought before, but not with that plan; Bob's first such event was in April; Cem's on Wednesday.",
  });

  week.example('which is not the first event of the name', {
    query: first('first_time_for_user'),
    answer: { buy: [0, 0, 1] },
    because: "Ann's first event of all was in April, with another plan.",
  });

  week.example('tells apart by that event', {
    query: trends(of('buy', { math: 'first_matching_event_for_user' }), {
      dateRange: { date_from: '2024-04-01', date_to: '2024-05-08' },
      ...TOTAL,
      breakdownFilter: { breakdown: 'plan' },
    }),
    answer: { pro: 2, free: 1 },
    because: 'Without filters it is the first event: that of Ann was free, those of Bob and Cem were pro.',
  });
});
