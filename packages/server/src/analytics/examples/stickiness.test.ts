import { describe } from 'vitest';
import { type Example, exampleHistories, MON_TO_WED, of } from '../../testing/examples.js';

/* On how many days people do something. */

const history = exampleHistories();
const stickiness = (fields: object = {}, series: object[] = [of('page')]): Example['query'] => ({
  kind: 'StickinessQuery',
  series,
  dateRange: MON_TO_WED,
  ...fields,
});

describe('days', () => {
  const week = history(
    `
    ann  page  Mon 09:00
    ann  page  Mon 10:00
    ann  page  Tue 09:00
    ann  page  Wed 09:00
    bob  page  Mon 09:00
    bob  page  Wed 09:00
    bob  page  Wed 10:00
    cem  page  Tue 23:59  {$set: {email: cem@tests.example}}
    dan  page  Thu 00:00
    dan  buy   Wed 11:00
    eve  page  2024-05-05 23:59
  `,
    { project: { test_account_filters: [{ type: 'person', key: 'email', operator: 'not_icontains', value: '@tests.example' }] } },
  );

  week.example('each person counts once, by the number of days', {
    query: stickiness(),
    answer: { page: [1, 1, 1] },
    because: 'Cem came on one day, Bob on two and Ann on three; twice on a day is one day. Eve and Dan came before and after.',
  });

  week.example('cumulative counts who came on so many days or more', {
    query: stickiness({ stickinessFilter: { computedAs: 'cumulative' } }),
    answer: { page: [3, 2, 1] },
    because: 'All three on one day at least, Bob and Ann on two, Ann on three.',
  });

  week.example('a day counts only when they did it often enough', {
    query: stickiness({ stickinessFilter: { stickinessCriteria: { operator: 'gte', value: 2 } } }),
    answer: { page: [2, 0, 0] },
    because: 'Ann did it twice on Monday and Bob twice on Wednesday.',
  });

  week.example('a day can count when they did it exactly so often', {
    query: stickiness({ stickinessFilter: { stickinessCriteria: { operator: 'exact', value: 1 } } }),
    answer: { page: [2, 1, 0] },
    because: 'Once a day: Ann on Tuesday and Wednesday, Bob on Monday, Cem on Tuesday.',
  });

  week.example('a day can count when they did it at most so often', {
    query: stickiness({ stickinessFilter: { stickinessCriteria: { operator: 'lte', value: 2 } } }),
    answer: { page: [1, 1, 1] },
    because: 'Nobody did it more than twice a day; who did not do it at all does not count by it.',
  });

  week.example('several series are several lines', {
    query: stickiness({}, [of('page'), of('buy')]),
    answer: { page: [1, 1, 1], buy: [1, 0, 0] },
    because: 'Dan bought on Wednesday.',
  });

  week.example('test accounts can be left out', {
    query: stickiness({ filterTestAccounts: true }),
    answer: { page: [0, 1, 1] },
    because: 'Cem is a test account.',
  });

  week.example('comparison has the days before as a line of its own', {
    query: stickiness({ compareFilter: { compare: true } }),
    answer: { page: [1, 1, 1], 'page before': [1, 0, 0] },
    because: 'Before Monday come Friday to Sunday, on which Eve came once.',
  });

  week.example('several days can be one period, counted back from the last', {
    query: stickiness({ intervalCount: 2 }),
    answer: { page: [1, 2] },
    because: 'Monday is a period, Tuesday and Wednesday are one: Cem came in one of them, Bob and Ann in both.',
  });
});

describe('other intervals', () => {
  const spring = history(`
    ann  page  2024-04-28 10:00
    ann  page  2024-05-04 10:00
    ann  page  2024-05-05 10:00
    bob  page  2024-04-28 10:00
    bob  page  2024-05-04 23:59
    cem  page  Mon 09:00
    cem  page  Mon 09:30
    cem  page  Mon 11:00
  `);

  spring.example('weeks begin on Sunday', {
    query: stickiness({ interval: 'week', dateRange: { date_from: '2024-04-28', date_to: '2024-05-11' } }),
    answer: { page: [2, 1] },
    because: 'Ann came in both weeks; Bob only in the first; Cem only in the second.',
  });

  spring.example('months are those of the calendar', {
    query: stickiness({ interval: 'month', dateRange: { date_from: '2024-04-01', date_to: '2024-05-31' } }),
    answer: { page: [1, 2] },
    because: 'Cem came in May alone; Ann and Bob in April and May.',
  });

  spring.example('hours are counted, too', {
    query: stickiness({
      interval: 'hour',
      dateRange: { date_from: '2024-05-06 09:00', date_to: '2024-05-06 12:00', explicitDate: true },
    }),
    answer: { page: [0, 1, 0] },
    because: 'Cem came at nine (twice) and at eleven: in two hours.',
  });
});

describe('unique persons and groups', () => {
  history(`
    visitor  page       Mon 09:00
    ann      page       Tue 10:00
    ann      $identify  Thu 09:00  {$anon_distinct_id: visitor}
  `).example('days of merged ids belong to one person', {
    query: stickiness(),
    answer: { page: [0, 1, 0] },
    because: 'Ann came on Monday, as a visitor, and on Tuesday.',
  });

  history(`
    ann  page  Mon 09:00  {$groups: {company: acme}}
    bob  page  Tue 09:00  {$groups: {company: acme}}
    cem  page  Tue 10:00  {$groups: {company: bolt}}
    dan  page  Wed 10:00
  `).example('groups can be counted instead of persons', {
    query: stickiness({}, [of('page', { math: 'unique_group', math_group_type_index: 0 })]),
    answer: { page: [1, 1, 0] },
    because: 'Bolt came on one day and Acme, by Ann and Bob, on two. Dan acts for no company.',
  });

  history(
    `
    ann  page  Mon 21:59
    ann  page  Mon 22:00
  `,
    { project: { timezone: 'Europe/Berlin' } },
  ).example('days are those of the project', {
    query: stickiness(),
    answer: { page: [0, 1, 0] },
    because: '22:00 UTC is midnight in Berlin: Ann came on Monday and on Tuesday.',
  });

  history(
    `
    ann  page  2023-10-29 00:30+02:00
    ann  page  2023-10-29 23:30+01:00
    ann  page  2023-10-30 00:00+01:00
  `,
    { project: { timezone: 'Europe/Berlin' } },
  ).example('the day on which clocks are put back is one day', {
    query: stickiness({ dateRange: { date_from: '2023-10-28', date_to: '2023-10-30' } }),
    answer: { page: [0, 1, 0] },
    because:
      'The 29th has 25 hours; half past midnight and half past eleven at night are both on it. The 30th is the second day.',
  });

  history(`
    ann  page  Mon 09:00
    bob  page  Mon 09:00
  `).example('a late event moves somebody to more days', {
    query: stickiness(),
    late: { events: 'ann  page  Wed 09:00', before: { page: [2, 0, 0] } },
    answer: { page: [1, 1, 0] },
    because: 'Ann came on two days, as is known now; Bob on one.',
  });
});
