import { describe } from 'vitest';
import { exampleHistories } from '../../testing/examples.js';

/* Lists of events and of persons, and what is asked in SQL. */

const history = exampleHistories();

describe('lists of events', () => {
  const week = history(`
    ann  page  Mon 09:00  {plan: free}
    bob  page  Mon 10:00  {plan: pro, amount: 5}
    ann  buy   Tue 09:00  {plan: pro, amount: 20}
    bob  page  Wed 10:00
  `);
  const span = { after: '2024-05-06T00:00:00Z', before: '2024-05-09T00:00:00Z' };
  const events = (fields: object) => ({ kind: 'EventsQuery', ...span, ...fields });

  week.example('the newest event comes first', {
    query: events({ select: ['event', 'distinct_id'], orderBy: ['timestamp desc'] }),
    answer: [
      ['page', 'bob'],
      ['buy', 'ann'],
      ['page', 'bob'],
      ['page', 'ann'],
    ],
    because: 'From Wednesday back to Monday.',
  });

  week.example('events of one name', {
    query: events({ select: ['event', 'distinct_id'], event: 'buy' }),
    answer: [['buy', 'ann']],
    because: 'There is one purchase.',
  });

  week.example('events between two instants', {
    query: events({
      select: ['distinct_id', 'event'],
      after: '2024-05-06T09:30:00Z',
      before: '2024-05-07T12:00:00Z',
      orderBy: ['timestamp'],
    }),
    answer: [
      ['bob', 'page'],
      ['ann', 'buy'],
    ],
    because: "Ann's page was before half past nine, Bob's last one after Tuesday noon.",
  });

  week.example('events whose properties fit', {
    query: events({
      select: ['event', 'properties.plan'],
      properties: [{ type: 'event', key: 'plan', value: 'pro' }],
      orderBy: ['timestamp'],
    }),
    answer: [
      ['page', 'pro'],
      ['buy', 'pro'],
    ],
    because: "Ann's first is free, and Bob's last has no plan.",
  });

  week.example('counts by event', {
    query: events({ select: ['event', 'count()'], orderBy: ['count() desc'] }),
    answer: [
      ['page', 3],
      ['buy', 1],
    ],
    because: 'An aggregate makes a row for each of the other columns.',
  });
});

describe('SQL', () => {
  const week = history(`
    ann      page       Mon 09:00  {plan: free}
    visitor  page       Mon 10:00  {plan: pro, amount: 5}
    ann      buy        Tue 09:00  {plan: pro, amount: 20}
    ann      $identify  Tue 10:00  {$anon_distinct_id: visitor}
    bob      page       Wed 10:00  {amount: 7}
  `);
  const sql = (query: string) => ({ kind: 'HogQLQuery', query });

  week.example('counts events', {
    query: sql('select event, count() from events group by event order by event'),
    answer: [
      ['$identify', 1],
      ['buy', 1],
      ['page', 3],
    ],
    because: 'The merge is an event, too.',
  });

  week.example('counts persons after merges', {
    query: sql("select uniq(person_id), uniq(distinct_id) from events where event = 'page'"),
    answer: [[2, 3]],
    because: 'The visitor is Ann: two persons with three ids.',
  });

  week.example('computes with properties', {
    query: sql("select sum(toFloat(properties.amount)) from events where properties.plan = 'pro'"),
    answer: [[25]],
    because: "5 + 20; Bob's 7 has no plan.",
  });

  week.example('counts by day', {
    query: sql("select toString(toDate(timestamp)), count() from events where event != '$identify' group by 1 order by 1"),
    answer: [
      ['2024-05-06', 2],
      ['2024-05-07', 1],
      ['2024-05-08', 1],
    ],
    because: 'Two on Monday, one on Tuesday and on Wednesday.',
  });
});
