import { describe } from 'vitest';
import { exampleHistories, of, TOTAL, trends } from '../../testing/examples.js';

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
