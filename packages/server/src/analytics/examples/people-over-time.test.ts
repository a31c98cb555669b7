import { describe } from 'vitest';
import { exampleHistories, of, TOTAL, trends } from '../../testing/examples.js';

/* Who is one person: before and after ids are merged, without a profile, and when events come in late. */

const history = exampleHistories();
const people = trends(of('page', { math: 'dau' }));

describe('merges', () => {
  history(`
    visitor  page       Mon 09:00
    ann      $identify  Mon 09:30  {$anon_distinct_id: visitor}
    ann      page       Mon 10:00
    ann      page       Tue 10:00
  `).example('what was done before logging in counts with what is done after', {
    query: people,
    answer: { page: [1, 1, 0] },
    because: 'The visitor is Ann: one person on Monday.',
  });

  history(`
    visitor  page       Mon 09:00
    ann      page       Mon 10:00
    visitor  page       Tue 09:00
    ann      $identify  Thu 09:30  {$anon_distinct_id: visitor}
  `).example('a merge holds for events of before, too', {
    query: people,
    answer: { page: [1, 1, 0] },
    because: "On Monday they were two; since Thursday it's known that they are one.",
  });

  history(`
    phone   page       Mon 09:00
    laptop  page       Mon 10:00
    ann     $identify  Mon 11:00  {$anon_distinct_id: phone}
    ann     $identify  Mon 12:00  {$anon_distinct_id: laptop}
    phone   page       Tue 09:00
    laptop  page       Tue 10:00
  `).example('several devices of one person are one person', {
    query: people,
    answer: { page: [1, 1, 0] },
    because: 'Phone and laptop are both Ann by now.',
  });

  history(`
    first   page           Mon 09:00
    second  page           Mon 10:00
    first   $create_alias  Tue 09:00  {alias: second}
  `).example('an alias merges two persons', {
    query: people,
    answer: { page: [1, 0, 0] },
    because: 'Second is another name of first.',
  });

  history(`
    visitor  page       Mon 09:00
    ann      $identify  Mon 09:30  {$anon_distinct_id: visitor}
    bob      page       Mon 10:00
    bob      $identify  Mon 11:00  {$anon_distinct_id: visitor}
  `).example('who is identified is not merged into another person', {
    query: people,
    answer: { page: [2, 0, 0] },
    because: "The visitor is Ann already: that Bob uses Ann's computer doesn't make them one.",
  });

  history(`
    a        page       Mon 09:00
    b        page       Mon 10:00
    b        page       Tue 10:00
    c        page       Tue 11:00
    b        $identify  Thu 09:00  {$anon_distinct_id: a}
    c        $identify  Thu 10:00  {$anon_distinct_id: x}
  `).example('persons of the whole time are those that are left after merges', {
    query: trends(of('page', { math: 'dau' }), TOTAL),
    answer: { page: 2 },
    because: 'A and B are one; C is the other.',
  });

  history(`
    visitor  join       Mon 09:00
    ann      join       Tue 09:00
    ann      $identify  Thu 09:00  {$anon_distinct_id: visitor}
  `).example('a merged person has one first time', {
    query: trends(of('join', { math: 'first_time_for_user' })),
    answer: { join: [1, 0, 0] },
    because: "What Ann did as a visitor on Monday was her first time; Tuesday's was not.",
  });

  history(`
    visitor  page       Mon 09:00
    visitor  page       Mon 09:10
    ann      page       Mon 10:00
    bob      page       Mon 11:00
    ann      $identify  Thu 09:00  {$anon_distinct_id: visitor}
  `).example('events of merged ids are counted together', {
    query: trends(of('page', { math: 'max_count_per_actor' })),
    answer: { page: [3, 0, 0] },
    because: 'Ann has two as a visitor and one by name.',
  });

  history(`
    visitor  page       Mon 09:00  {$set: {plan: free, city: Rome}}
    ann      page       Mon 10:00  {$set: {plan: pro}}
    ann      $identify  Thu 09:00  {$anon_distinct_id: visitor}
  `).example('a merged person has what the identified one says, and the rest of the other', {
    query: trends(of('page'), {
      breakdownFilter: { breakdowns: ['plan', 'city'].map((property) => ({ property, type: 'person' })) },
    }),
    answer: { 'pro::Rome': [2, 0, 0] },
    because: 'The plan of Ann holds, and the city is known of the visitor alone.',
  });
});

describe('events without a profile', () => {
  const week = history(`
    v1   page  Mon 09:00  {$process_person_profile: false}
    v1   page  Mon 10:00  {$process_person_profile: false}
    v2   page  Mon 11:00  {$process_person_profile: false, $set: {plan: pro}}
    ann  page  Tue 09:00  {$set: {plan: pro}}
  `);

  week.example('each distinct id is a person', {
    query: people,
    answer: { page: [2, 1, 0] },
    because: 'V1 came twice, V2 once; neither has a profile.',
  });

  week.example('nothing is known of their persons', {
    query: trends(of('page'), { breakdownFilter: { breakdown: 'plan', breakdown_type: 'person' } }),
    answer: { None: [3, 0, 0], pro: [0, 1, 0] },
    because: 'What an event without a profile would set is dropped: only Ann is pro.',
  });
});

describe('late events', () => {
  history(`
    ann  page  Mon 09:00
    ann  page  Wed 09:00
  `).example('count on the day on which they were', {
    query: people,
    late: { events: 'bob  page  Mon 23:00', before: { page: [1, 0, 1] } },
    answer: { page: [2, 0, 1] },
    because: 'The event of Bob was sent days later; it happened on Monday.',
  });

  history(`
    ann  join  Tue 09:00
    bob  join  Tue 10:00
  `).example('change when somebody was there first', {
    query: trends(of('join', { math: 'first_time_for_user' })),
    late: { events: 'ann  join  Mon 09:00', before: { join: [0, 2, 0] } },
    answer: { join: [1, 1, 0] },
    because: "Ann's first time is on Monday, now that it is known.",
  });

  history(`
    visitor  page  Mon 09:00
    ann      page  Mon 10:00
  `).example('merge persons of whom there are numbers already', {
    query: people,
    late: { events: 'ann  $identify  Mon 11:00  {$anon_distinct_id: visitor}', before: { page: [2, 0, 0] } },
    answer: { page: [1, 0, 0] },
    because: 'The merge arrives after the first answer, which is not given again.',
  });

  history(`
    ann  page  Mon 10:00  {$set: {plan: free}}
  `).example('change the properties of persons', {
    query: trends(of('page'), { breakdownFilter: { breakdown: 'plan', breakdown_type: 'person' } }),
    late: { events: 'ann  paid  Tue 11:00  {$set: {plan: pro}}', before: { free: [1, 0, 0] } },
    answer: { pro: [1, 0, 0] },
    because: 'Persons have the properties that are known now.',
  });
});
