import { describe } from 'vitest';
import { type Example, exampleHistories, MON_TO_WED, of } from '../../testing/examples.js';

/* Who is new, who stays, who comes back and who goes. */

const history = exampleHistories();
const lifecycle = (fields: object = {}, event: string | null = 'page'): Example['query'] => ({
  kind: 'LifecycleQuery',
  series: [of(event)],
  dateRange: MON_TO_WED,
  ...fields,
});

describe('days', () => {
  const week = history(
    `
    old  page  2024-05-05 10:00
    eve  page  2024-05-05 11:00
    fay  buy   2024-05-01 10:00
    ann  page  Mon 09:00
    ann  page  Mon 10:00
    bob  page  Mon 09:00
    eve  page  Mon 12:00
    fay  page  Mon 13:00
    ann  page  Tue 09:00
    cem  page  Tue 09:00  {plan: pro, $set: {email: cem@tests.example}}
    ann  page  Wed 09:00
    bob  page  Wed 09:00
  `,
    { project: { test_account_filters: [{ type: 'person', key: 'email', operator: 'not_icontains', value: '@tests.example' }] } },
  );

  week.example('each person has one status a day', {
    query: lifecycle(),
    answer: {
      new: [2, 1, 0],
      returning: [1, 1, 1],
      resurrecting: [1, 0, 1],
      dormant: [-1, -3, -1],
    },
    because:
      'New: Ann and Bob on Monday, Cem on Tuesday. Returning: Eve on Monday, since she came on Sunday; then Ann. Resurrecting: Fay on ' +
      'Monday, who is known since 1 May but was not there on Sunday; Bob on Wednesday. Dormant: Old on Monday; Bob, Eve and Fay ' +
      'on Tuesday; Cem on Wednesday.',
  });

  week.example('another event has other persons', {
    query: lifecycle({}, 'buy'),
    answer: { new: [0, 0, 0], returning: [0, 0, 0], resurrecting: [0, 0, 0], dormant: [0, 0, 0] },
    because: 'Fay bought on 1 May, which is more than a day before Monday.',
  });

  week.example('who is new is so by the first event of any name', {
    query: lifecycle({ dateRange: { date_from: '2024-05-01', date_to: '2024-05-02' } }, null),
    answer: { new: [1, 0], returning: [0, 0], resurrecting: [0, 0], dormant: [0, -1] },
    because: 'Fay came on 1 May and not on the 2nd.',
  });

  week.example('a filter keeps the events that fit', {
    query: lifecycle({ properties: [{ type: 'event', key: 'plan', value: 'pro' }] }),
    answer: { new: [0, 1, 0], returning: [0, 0, 0], resurrecting: [0, 0, 0], dormant: [0, 0, -1] },
    because: "Only Cem's event of Tuesday is pro.",
  });

  week.example('test accounts can be left out', {
    query: lifecycle({ filterTestAccounts: true }),
    answer: { new: [2, 0, 0], returning: [1, 1, 1], resurrecting: [1, 0, 1], dormant: [-1, -3, 0] },
    because: 'Cem is a test account: neither new on Tuesday nor gone on Wednesday.',
  });
});

describe('weeks and months', () => {
  const spring = history(`
    ann  page  2024-04-22 10:00
    ann  page  2024-04-28 10:00
    ann  page  Mon 10:00
    bob  page  2024-04-30 10:00
    bob  page  Sat 10:00
    cem  page  2024-05-05 10:00
    cem  page  Mon 10:00
  `);

  spring.example('a week begins on Sunday', {
    query: lifecycle({ interval: 'week', dateRange: { date_from: '2024-04-28', date_to: '2024-05-11' } }),
    answer: { new: [1, 1], returning: [1, 2], resurrecting: [0, 0], dormant: [0, 0] },
    because:
      'Ann came in the weeks of 21 and 28 April and 5 May; Bob is new in that of 28 April and stays; Cem is new in the last.',
  });

  spring.example('weeks are whole, whatever day of them the range begins and ends with', {
    query: lifecycle({ interval: 'week', dateRange: { date_from: '2024-04-30', date_to: '2024-05-06' } }),
    answer: { new: [1, 1], returning: [1, 2], resurrecting: [0, 0], dormant: [0, 0] },
    because: 'Ann on Sunday, 28 April, is in the first week, and Bob on Saturday, 11 May, in the last.',
  });

  spring.example('months are whole, too', {
    query: lifecycle({ interval: 'month', dateRange: { date_from: '2024-04-29', date_to: '2024-05-05' } }),
    answer: { new: [2, 1], returning: [0, 2], resurrecting: [0, 0], dormant: [0, 0] },
    because: 'Ann on 22 April is new in the first month, and comes back on 6 May; so does Bob on the 11th.',
  });

  spring.example('with explicit dates the end is an instant', {
    query: lifecycle({ interval: 'month', dateRange: { date_from: '2024-04-29', date_to: '2024-05-05', explicitDate: true } }),
    answer: { new: [2, 0], returning: [0, 0], resurrecting: [0, 0], dormant: [0, -2] },
    because: 'Cem on 5 May at ten comes after that: midnight. Nobody came in May before. The first interval is whole, as always.',
  });

  spring.example('months are those of the calendar', {
    query: lifecycle({ interval: 'month', dateRange: { date_from: '2024-04-01', date_to: '2024-05-31' } }),
    answer: { new: [2, 1], returning: [0, 2], resurrecting: [0, 0], dormant: [0, 0] },
    because: 'Ann and Bob are new in April and stay in May, in which Cem is new.',
  });

  history(
    `
    ann  page  2024-05-05 10:00
    ann  page  Mon 10:00
  `,
    { project: { week_start_day: 1 } },
  ).example('a week can begin on Monday', {
    query: lifecycle({ interval: 'week', dateRange: { date_from: '2024-04-29', date_to: '2024-05-12' } }),
    answer: { new: [1, 0], returning: [0, 1], resurrecting: [0, 0], dormant: [0, 0] },
    because: 'Sunday and Monday are in two weeks: Ann is new in the first and stays in the second.',
  });
});

describe('hours, zones and changes of the clocks', () => {
  history(`
    ann  page  Mon 09:59
    ann  page  Mon 10:00
    bob  page  Mon 09:10
    bob  page  Mon 11:10
  `).example('hours follow on hours', {
    query: lifecycle({
      interval: 'hour',
      dateRange: { date_from: '2024-05-06 09:00', date_to: '2024-05-06 12:00', explicitDate: true },
    }),
    answer: { new: [2, 0, 0], returning: [0, 1, 0], resurrecting: [0, 0, 1], dormant: [0, -1, -1] },
    because: 'Ann stays from nine to ten and goes at eleven; Bob misses ten o’clock and comes back at eleven.',
  });

  history(
    `
    ann  page  Mon 21:59
    ann  page  Mon 22:00
  `,
    { project: { timezone: 'Europe/Berlin' } },
  ).example('days are those of the project', {
    query: lifecycle(),
    answer: { new: [1, 0, 0], returning: [0, 1, 0], resurrecting: [0, 0, 0], dormant: [0, 0, -1] },
    because: 'The second event is at midnight in Berlin: Ann returns on Tuesday.',
  });

  history(
    `
    ann  page  2024-03-30 12:00+01:00
    ann  page  2024-03-31 23:30+02:00
    ann  page  2024-04-01 00:30+02:00
  `,
    { project: { timezone: 'Europe/Berlin' } },
  ).example('the day on which clocks are put forward is a day like others', {
    query: lifecycle({ dateRange: { date_from: '2024-03-30', date_to: '2024-04-02' } }),
    answer: { new: [1, 0, 0, 0], returning: [0, 1, 1, 0], resurrecting: [0, 0, 0, 0], dormant: [0, 0, 0, -1] },
    because: 'Ann comes on the 30th, the 31st (which ends at 22:00 UTC) and the 1st.',
  });
});

describe('unique persons and groups', () => {
  history(`
    visitor  page       Mon 09:00
    ann      page       Tue 10:00
    ann      $identify  Thu 09:00  {$anon_distinct_id: visitor}
  `).example('a merged person came to be when the older one did', {
    query: lifecycle(),
    answer: { new: [1, 0, 0], returning: [0, 1, 0], resurrecting: [0, 0, 0], dormant: [0, 0, -1] },
    because: 'Ann was there on Monday, as a visitor: on Tuesday she returns and is not new.',
  });

  history(`
    v1  page  Mon 09:00  {$process_person_profile: false}
    v1  page  Wed 09:00  {$process_person_profile: false}
  `).example('who has no profile is new with the first event', {
    query: lifecycle(),
    answer: { new: [1, 0, 0], returning: [0, 0, 0], resurrecting: [0, 0, 1], dormant: [0, -1, 0] },
    because: 'The visitor comes on Monday, stays away on Tuesday and comes back on Wednesday.',
  });

  history(`
    ann  $groupidentify  Mon 08:00  {$group_type: company, $group_key: acme}
    ann  page            Mon 09:00  {$groups: {company: acme}}
    bob  page            Tue 09:00  {$groups: {company: acme}}
    cem  page            Tue 10:00
  `).example('groups have a lifecycle, too', {
    query: lifecycle({ aggregation_group_type_index: 0 }),
    answer: { new: [1, 0, 0], returning: [0, 1, 0], resurrecting: [0, 0, 0], dormant: [0, 0, -1] },
    because: 'Acme came on Monday by Ann and on Tuesday by Bob. Cem acts for no company.',
  });

  history(`
    ann  page  Wed 10:00
  `).example('a late event makes somebody known earlier dormant in between', {
    query: lifecycle(),
    late: {
      events: 'bob  page  Mon 10:00',
      before: { new: [0, 0, 1], returning: [0, 0, 0], resurrecting: [0, 0, 0], dormant: [0, 0, 0] },
    },
    answer: { new: [1, 0, 1], returning: [0, 0, 0], resurrecting: [0, 0, 0], dormant: [0, -1, 0] },
    because: 'Bob was new on Monday and did not come on Tuesday.',
  });
});
