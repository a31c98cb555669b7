import { describe } from 'vitest';
import { exampleHistories, of, TOTAL, trends } from '../../testing/examples.js';

/* Filters and breakdowns by the properties of sessions and by the columns of an event. */

const history = exampleHistories();

describe('properties of sessions', () => {
  const week = history(`
    ann  $pageview  Mon 09:00  {$session_id: s1, $current_url: "https://shop.example/", utm_source: news}
    ann  $pageview  Mon 09:01  {$session_id: s1, $current_url: "https://shop.example/cart"}
    ann  buy        Mon 09:05  {$session_id: s1}
    bob  $pageview  Tue 10:00  {$session_id: s2, $current_url: "https://shop.example/about"}
    cem  $pageview  Wed 10:00  {$session_id: s3, $current_url: "https://shop.example/"}
    cem  buy        Wed 10:02  {$session_id: s3}
    dan  buy        Wed 11:00
  `);
  const bySession = (breakdown: string, more: object = {}) => ({
    breakdownFilter: { breakdown, breakdown_type: 'session', ...more },
  });
  const where = (key: string, operator: string, value: unknown) => ({
    properties: [{ type: 'session', key, operator, value }],
  });

  week.example('a filter holds for all events of the sessions that it describes', {
    query: trends(of('$pageview'), where('$session_duration', 'gt', 200)),
    answer: { $pageview: [2, 0, 0] },
    because: "Ann's session took 5 minutes; Bob's no time at all and Cem's 2 minutes.",
  });

  week.example('an event without a session has none of their properties', {
    query: trends(of('buy'), where('$session_duration', 'is_not_set', null)),
    answer: { buy: [0, 0, 1] },
    because: 'Dan bought outside of any session.',
  });

  week.example('what the first page of a session says holds for the events behind it', {
    query: trends(of('buy'), bySession('$entry_utm_source')),
    answer: { None: [0, 0, 2], news: [1, 0, 0] },
    because: "Ann's session began with a link of the news; Cem's came from nowhere and Dan had no session.",
  });

  week.example('the last page of a session is that of all its events, also of those before it', {
    query: trends(of('$pageview'), bySession('$end_pathname')),
    answer: { '/cart': [2, 0, 0], '/': [0, 0, 1], '/about': [0, 1, 0] },
    because: 'Ann ended at the cart, Cem at the home page, Bob at the page about the shop.',
  });

  week.example('a bounce is a session with one page and not 10 seconds', {
    query: trends(of('$pageview'), where('$is_bounce', 'exact', ['true'])),
    answer: { $pageview: [0, 1, 0] },
    because: 'Bob saw one page and left; Cem bought 2 minutes after it.',
  });

  history(`
    ann  $pageview  Mon 23:50  {$session_id: s1}
    ann  $pageview  Tue 00:05  {$session_id: s1}
    bob  $pageview  Tue 23:55  {$session_id: s2}
    bob  $pageview  Wed 00:10  {$session_id: s2}
  `).example('a session is whole where it began before the dates of the question, or ended after them', {
    query: trends(of('$pageview'), {
      dateRange: { date_from: '2024-05-07', date_to: '2024-05-07' },
      ...where('$session_duration', 'exact', ['900']),
    }),
    answer: { $pageview: [2] },
    because: 'Both sessions took 15 minutes, each with one page on Tuesday.',
  });

  history(`
    ann  $pageview  Mon 09:00  {$session_id: s1}
    ann  $pageview  Thu 09:00  {$session_id: s1}
    ann  $pageview  Thu 09:02  {$session_id: s1}
    bob  $pageview  Thu 10:00  {$session_id: s2}
  `).example('of a session of days only the part within a day of the dates counts, for its ranges, too', {
    query: trends(of('$pageview'), {
      ...TOTAL,
      dateRange: { date_from: '2024-05-09', date_to: '2024-05-09' },
      ...bySession('$session_duration', { breakdown_histogram_bin_count: 2 }),
    }),
    answer: { '[0,60]': 1, '[60,120]': 2 },
    because: "Ann's session is 2 minutes long around Thursday; its page on Monday does not belong to the question.",
  });

  week.example('times of sessions are compared as dates', {
    query: trends(of('buy'), where('$start_timestamp', 'is_date_after', '2024-05-08')),
    answer: { buy: [0, 0, 1] },
    because: "Cem's session began on Wednesday, Ann's before; Dan had none.",
  });

  week.example('a series can ask for sessions of its own', {
    query: trends([of('$pageview', where('$pageview_count', 'gte', 2)), of('buy')]),
    answer: { $pageview: [2, 0, 0], buy: [1, 0, 2] },
    because: 'Only Ann looked at two pages in a session; everybody who bought is counted.',
  });

  week.example('lengths of sessions are cut into ranges', {
    query: trends(of('$pageview'), { ...TOTAL, ...bySession('$session_duration', { breakdown_histogram_bin_count: 3 }) }),
    answer: { '[0,100]': 1, '[100,200]': 1, '[200,300]': 2 },
    because: "Between 0 (Bob's) and 300 seconds (Ann's, with two pages); Cem's took 120.",
  });
});

describe('columns of an event', () => {
  const week = history(`
    ann-phone  page       Mon 09:00
    ann        page       Mon 10:00
    ann        $identify  Mon 11:00  {$anon_distinct_id: ann-phone}
    ann        buy        Tue 10:00
  `);
  const where = (key: string, value: unknown) => ({ properties: [{ type: 'event_metadata', key, operator: 'exact', value }] });

  week.example('the id under which an event was captured says more than the person', {
    query: trends(of('page', { math: 'dau' }), {
      breakdownFilter: { breakdown: 'distinct_id', breakdown_type: 'event_metadata' },
    }),
    answer: { ann: [1, 0, 0], 'ann-phone': [1, 0, 0] },
    because: "Ann's phone and computer are one person by now, and two ids.",
  });

  week.example('the name of an event is one of its columns', {
    query: trends(of(null), where('event', ['buy'])),
    answer: { 'All events': [0, 1, 0] },
    because: 'Ann bought on Tuesday.',
  });
});
