import { funnel, workedExamples } from '../../testing/worked-examples.js';

/* Who goes through a funnel: persons with their first times, and sessions. */

const example = workedExamples();

example('A step of first times takes the first event ever, wherever that was', {
  because: 'Ann visited first in April: none of her visits in May is the first. Ben visited first in May, and twice.',
  events: `
    ann  2024-04-10 10:00  visited
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  signed up
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:05  visited
    ben  2024-05-01 10:06  signed up
  `,
  query: {
    kind: 'FunnelsQuery',
    series: [
      { kind: 'EventsNode', event: 'visited', math: 'first_time_for_user' },
      { kind: 'EventsNode', event: 'signed up' },
    ],
    dateRange: { date_from: '2024-05-01', date_to: '2024-05-31' },
  },
  answer: `
    visited    1
    signed up  1  360 s
  `,
  behind: [{ point: { funnelStep: 1 }, people: 'ben' }],
});

const BY_SESSION = { funnelAggregateByHogQL: 'properties.$session_id' };

example('Sessions go through a funnel each for itself', {
  because:
    'Ann needed two sessions to sign up: neither of them took both steps. Ben did so in one. Cem has no session and does not count.',
  events: `
    ann  2024-05-01 10:00  visited    $session_id=morning
    ann  2024-05-01 18:00  signed up  $session_id=evening
    ann  2024-05-01 18:05  visited    $session_id=evening
    ben  2024-05-01 10:00  visited    $session_id=noon
    ben  2024-05-01 10:02  signed up  $session_id=noon
    cem  2024-05-01 10:00  visited
  `,
  query: funnel(['visited', 'signed up'], BY_SESSION),
  answer: `
    visited    3
    signed up  1  120 s
  `,
  behind: [
    { point: { funnelStep: 2 }, people: 'noon' },
    { point: { funnelStep: -2 }, people: 'evening, morning' },
  ],
});

example('In a funnel of sessions a first time is still that of the person', {
  because:
    "Ann's first visit ever is in her morning session. The visit of the evening is none, though it is the session's first.",
  events: `
    ann  2024-05-01 10:00  visited    $session_id=morning
    ann  2024-05-01 18:00  visited    $session_id=evening
    ann  2024-05-01 18:01  signed up  $session_id=evening
  `,
  query: {
    ...funnel([], BY_SESSION),
    series: [
      { kind: 'EventsNode', event: 'visited', math: 'first_time_for_user' },
      { kind: 'EventsNode', event: 'signed up' },
    ],
  },
  answer: `
    visited    1
    signed up  0
  `,
  behind: [{ point: { funnelStep: 1 }, people: 'morning' }],
});

example('A funnel can count the values of an expression instead of people', {
  because: 'The order 17 was placed by Ann and paid by Ben; the order 18 was placed only. A visit without an order is of none.',
  events: `
    ann  2024-05-01 10:00  placed  order=17
    ben  2024-05-01 10:10  paid    order=17
    ann  2024-05-01 11:00  placed  order=18
    cem  2024-05-01 12:00  placed
  `,
  query: funnel(['placed', 'paid'], { funnelAggregateByHogQL: "concat('#', properties.order)" }),
  answer: `
    placed  2
    paid    1  600 s
  `,
  behind: [
    { point: { funnelStep: 2 }, people: '#17' },
    { point: { funnelStep: -2 }, people: '#18' },
  ],
});
