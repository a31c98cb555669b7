import { funnel, workedExamples } from '../../testing/worked-examples.js';

/* In which order people have to take the steps of a funnel, and what makes a person count. */

const example = workedExamples();

example('A step counts who took it and all before it', {
  because: 'Ann took both. Ben only visited. Cem signed up without a visit, so he is not in the funnel.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:03  signed up
    ben  2024-05-01 11:00  visited
    cem  2024-05-01 12:00  signed up
  `,
  query: funnel(['visited', 'signed up']),
  answer: `
    visited    2
    signed up  1  180 s
  `,
  behind: [
    { point: { funnelStep: 1 }, people: 'ann, ben' },
    { point: { funnelStep: 2 }, people: 'ann' },
    { point: { funnelStep: -2 }, people: 'ben' },
  ],
});

example('A step before the first one does not count', {
  because: 'Ann signed up before she visited; nothing follows her visit.',
  events: `
    ann  2024-05-01 10:00  signed up
    ann  2024-05-01 10:05  visited
  `,
  query: funnel(['visited', 'signed up']),
  answer: `
    visited    1
    signed up  0
  `,
});

example('Other events may lie between the steps of an ordered funnel', {
  because: 'What Ann reads between her steps does not matter.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  read
    ann  2024-05-01 10:02  signed up
  `,
  query: funnel(['visited', 'signed up'], { funnelOrderType: 'ordered' }),
  answer: `
    visited    1
    signed up  1  120 s
  `,
});

example('No other event may lie between the steps of a strict funnel', {
  because: 'Ann reads something between her steps, so her run ends with the visit. Ben goes straight on.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  read
    ann  2024-05-01 10:02  signed up
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:01  signed up
  `,
  query: funnel(['visited', 'signed up'], { funnelOrderType: 'strict' }),
  answer: `
    visited    2
    signed up  1  60 s
  `,
  behind: [{ point: { funnelStep: -2 }, people: 'ann' }],
});

example('A strict run may begin at a later event of the first step', {
  because: 'Her first visit is followed by another visit, the second one by the sign-up: that run gets furthest.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  visited
    ann  2024-05-01 10:03  signed up
  `,
  query: funnel(['visited', 'signed up'], { funnelOrderType: 'strict' }),
  answer: `
    visited    1
    signed up  1  120 s
  `,
});

example('Steps come in any order in an unordered funnel', {
  because: 'Both took both steps. A step counts how many took so many steps at all, whichever.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  signed up
    ben  2024-05-01 10:00  signed up
    ben  2024-05-01 10:03  visited
    cem  2024-05-01 10:00  signed up
  `,
  query: funnel(['visited', 'signed up'], { funnelOrderType: 'unordered' }),
  answer: `
    Completed 1 step   3
    Completed 2 steps  2  120 s
  `,
  behind: [
    { point: { funnelStep: 1 }, people: 'ann, ben, cem' },
    { point: { funnelStep: 2 }, people: 'ann, ben' },
  ],
});

example('One event takes one step, even if it fits two', {
  because: 'Ann visited once, Ben twice: only he took both steps.',
  events: `
    ann  2024-05-01 10:00  visited
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:30  visited
  `,
  query: funnel(['visited', 'visited']),
  answer: `
    visited  2
    visited  1  1800 s
  `,
});

example('Events at the same time count in the order of the steps', {
  because: 'Both happened in the same millisecond; nobody knows which came first, so the funnel is believed.',
  events: `
    ann  2024-05-01 10:00  signed up
    ann  2024-05-01 10:00  visited
  `,
  query: funnel(['visited', 'signed up']),
  answer: `
    visited    1
    signed up  1  0 s
  `,
});

example('A person counts once, however often they go through', {
  because: 'Ann signed up twice and is one person; her first run is the one whose time counts.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  signed up
    ann  2024-05-02 10:00  visited
    ann  2024-05-02 10:30  signed up
  `,
  query: funnel(['visited', 'signed up']),
  answer: `
    visited    1
    signed up  1  60 s
  `,
});

example('The run that gets furthest counts', {
  because: 'Her first run ends with the sign-up on the first day, the second one gets to the purchase.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:10  signed up
    ann  2024-05-09 10:00  visited
    ann  2024-05-09 10:01  signed up
    ann  2024-05-09 10:03  bought
  `,
  query: funnel(['visited', 'signed up', 'bought'], { funnelWindowInterval: 1, funnelWindowIntervalUnit: 'day' }),
  answer: `
    visited    1
    signed up  1  60 s
    bought     1  120 s
  `,
});

example('Of several first steps the last one before the second counts for the time', {
  because: 'Both visits lead to the same sign-up; of runs that arrive together the last to begin counts.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:09  visited
    ann  2024-05-01 10:10  signed up
  `,
  query: funnel(['visited', 'signed up']),
  answer: `
    visited    1
    signed up  1  60 s
  `,
});

example('Two devices of one person are one person once they are merged', {
  because: 'She visited on her phone and signed up on her computer; both belong to Ann by now.',
  events: `
    ann-phone  2024-05-01 10:00  visited
    ann        2024-05-01 10:05  signed up
  `,
  merged: 'ann-phone  ann',
  query: funnel(['visited', 'signed up']),
  answer: `
    visited    1
    signed up  1  300 s
  `,
  behind: [{ point: { funnelStep: 2 }, people: 'ann' }],
});

example('Two devices are two persons as long as nobody says otherwise', {
  because: 'Without a merge the phone only visited, and the computer signed up without a visit.',
  events: `
    ann-phone  2024-05-01 10:00  visited
    ann        2024-05-01 10:05  signed up
  `,
  query: funnel(['visited', 'signed up']),
  answer: `
    visited    1
    signed up  0
  `,
});

example('Groups go through a funnel together', {
  because: 'Ann visited for acme and Ben signed up for acme: the group took both steps. Cem is in no group and nobody then.',
  events: `
    ann  2024-05-01 10:00  visited    @acme
    ben  2024-05-01 10:10  signed up  @acme
    cem  2024-05-01 10:00  visited
    dan  2024-05-01 10:00  visited    @globex
  `,
  query: { ...funnel(['visited', 'signed up']), aggregation_group_type_index: 0 },
  answer: `
    visited    2
    signed up  1  600 s
  `,
  behind: [{ point: { funnelStep: -2 }, people: 'globex' }],
});

example('Who skips an optional step goes on', {
  because:
    'Ben signed up without help. The help counts who took it; the times of later steps go back to the last that is required.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  asked for help
    ann  2024-05-01 10:04  signed up
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:02  signed up
  `,
  query: {
    kind: 'FunnelsQuery',
    series: [
      { kind: 'EventsNode', event: 'visited' },
      { kind: 'EventsNode', event: 'asked for help', optionalInFunnel: true },
      { kind: 'EventsNode', event: 'signed up' },
    ],
  },
  answer: `
    visited         2
    asked for help  1  60 s
    signed up       2  180 s
  `,
  behind: [
    { point: { funnelStep: 2 }, people: 'ann' },
    { point: { funnelStep: -2 }, people: 'ben' },
  ],
});

example('A step without a name of events takes any event', {
  because: 'Whatever comes after the visit is the second step: a purchase for Ann, a second visit for Ben.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  bought
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:03  visited
    cem  2024-05-01 10:00  visited
  `,
  query: {
    kind: 'FunnelsQuery',
    series: [
      { kind: 'EventsNode', event: 'visited' },
      { kind: 'EventsNode', name: 'anything' },
    ],
  },
  answer: `
    visited   3
    anything  2  120 s
  `,
});

example('The filters of a step choose among its events', {
  because: 'Ann signed up for the free plan, which is not the step. Ben did both, and his later plan counts.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  signed up  plan=free
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:01  signed up  plan=free
    ben  2024-05-01 10:05  signed up  plan=pro
  `,
  query: {
    kind: 'FunnelsQuery',
    series: [
      { kind: 'EventsNode', event: 'visited' },
      { kind: 'EventsNode', event: 'signed up', properties: [{ key: 'plan', value: ['pro'], operator: 'exact', type: 'event' }] },
    ],
  },
  answer: `
    visited    2
    signed up  1  300 s
  `,
});

example('Average and median are those of all who took the step', {
  because: 'They took 60, 120 and 600 seconds: 260 in the mean, 120 in the middle.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  signed up
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:02  signed up
    cem  2024-05-01 10:00  visited
    cem  2024-05-01 10:10  signed up
  `,
  query: funnel(['visited', 'signed up']),
  answer: `
    visited    3
    signed up  3  260 s  median  120 s
  `,
});

example('The steps at which people stopped can be listed by their numbers', {
  because: 'Ann stopped after one step, Ben after two, Cem took all three.',
  events: `
    ann  2024-05-01 10:00  visited
    ben  2024-05-01 10:00  visited
    ben  2024-05-01 10:01  signed up
    cem  2024-05-01 10:00  visited
    cem  2024-05-01 10:01  signed up
    cem  2024-05-01 10:02  bought
  `,
  query: funnel(['visited', 'signed up', 'bought']),
  answer: `
    visited    3
    signed up  2  60 s
    bought     1  60 s
  `,
  behind: [
    { point: { funnelCustomSteps: [1] }, people: 'ann' },
    { point: { funnelCustomSteps: [1, 2] }, people: 'ann, ben' },
    { point: { funnelCustomSteps: [3], funnelStep: 1 }, people: 'cem' },
  ],
});
