import { workedExamples } from '../../testing/worked-examples.js';

/* In which order people have to take the steps of a funnel. */

const example = workedExamples();

const steps = (...events: string[]) => events.map((event) => ({ kind: 'EventsNode', event }));
const funnel = (funnelsFilter: object, ...events: string[]) => ({
  kind: 'FunnelsQuery',
  series: steps(...events),
  funnelsFilter: { ...funnelsFilter },
});

example('A step counts who took it and all before it', {
  because: 'Ann took both. Ben only visited. Cem signed up without a visit, so he is not in the funnel.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:03  signed up
    ben  2024-05-01 11:00  visited
    cem  2024-05-01 12:00  signed up
  `,
  query: funnel({}, 'visited', 'signed up'),
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
