import { funnel, workedExamples } from '../../testing/worked-examples.js';

/* The breakdown value of people who go through a funnel. */

const example = workedExamples();

const by = (breakdownFilter: object, funnelsFilter: Record<string, string | number> = {}, ...events: string[]) => ({
  ...funnel(events.length > 0 ? events : ['visited', 'signed up'], funnelsFilter),
  breakdownFilter: { ...breakdownFilter },
});
const PLAN = { breakdown: 'plan', breakdown_type: 'event' };

const CHANGES = `
  ann  2024-05-01 10:00  visited    plan=free
  ann  2024-05-01 10:01  signed up  plan=pro
  ben  2024-05-01 10:00  visited    plan=free
`;

example('By first touch the first step event with a value says it', {
  because: 'Ann was on the free plan at first, so all she did belongs there.',
  events: CHANGES,
  query: by(PLAN, { breakdownAttributionType: 'first_touch' }),
  answer: `
    free:  visited    2
    free:  signed up  1  60 s
  `,
  behind: [
    { point: { funnelStep: 1, funnelStepBreakdown: 'free' }, people: 'ann, ben' },
    { point: { funnelStep: -2, funnelStepBreakdown: ['free'] }, people: 'ben' },
  ],
});

example('First touch is what is meant where nothing is said', {
  because: 'The same question without an attribution.',
  events: CHANGES,
  query: by(PLAN),
  answer: `
    free:  visited    2
    free:  signed up  1  60 s
  `,
});

example('By last touch the last step event with a value says it', {
  because: 'Ann ended on the pro plan, Ben on the free one. Of equally large values the first in the alphabet comes first.',
  events: CHANGES,
  query: by(PLAN, { breakdownAttributionType: 'last_touch' }),
  answer: `
    free:  visited    1
    free:  signed up  0
    pro:  visited    1
    pro:  signed up  1  60 s
  `,
});

example('By all events each value is followed for itself', {
  because: 'On the free plan Ann only visited; on the pro plan she signed up, but without a visit that is not in the funnel.',
  events: CHANGES,
  query: by(PLAN, { breakdownAttributionType: 'all_events' }),
  answer: `
    free:  visited    2
    free:  signed up  0
  `,
});

example('By a step the event that takes it says the value, and who does not take it is in no table', {
  because: 'Only Ann signed up, on the pro plan. Ben never did: he has no value, and is not "without a value" either.',
  events: CHANGES,
  query: by(PLAN, { breakdownAttributionType: 'step', breakdownAttributionValue: 1 }),
  answer: `
    pro:  visited    1
    pro:  signed up  1  60 s
  `,
  behind: [
    { point: { funnelStep: 1, funnelStepBreakdown: 'pro' }, people: 'ann' },
    { point: { funnelStep: -2, funnelStepBreakdown: 'pro' }, people: '' },
  ],
});

example('By the first step, over time', {
  because: 'Ann visited with Chrome and converted; Ben visited with Safari and did not.',
  events: `
    ann  2024-05-01 10:00  visited    browser=Chrome
    ann  2024-05-01 10:01  signed up  browser=Safari
    ben  2024-05-01 10:00  visited    browser=Safari
  `,
  query: by(
    { breakdown: 'browser' },
    { breakdownAttributionType: 'step', breakdownAttributionValue: 0, funnelVizType: 'trends' },
  ),
  answer: `
    Chrome:  2024-05-01  1 of 1  100 %
    Safari:  2024-05-01  0 of 1  0 %
  `,
  behind: [{ point: { funnelTrendsEntrancePeriodStart: '2024-05-01', funnelStepBreakdown: ['Chrome'] }, people: 'ann' }],
});

example('By a later step, over time, a line counts only people who reach that step', {
  because: 'Ben began as well, but never signed up: no value of the second step is his.',
  events: `
    ann  2024-05-01 10:00  visited    browser=Chrome
    ann  2024-05-01 10:01  signed up  browser=Safari
    ben  2024-05-01 10:00  visited    browser=Safari
  `,
  query: by(
    { breakdown: 'browser' },
    { breakdownAttributionType: 'step', breakdownAttributionValue: 1, funnelVizType: 'trends' },
  ),
  answer: 'Safari:  2024-05-01  1 of 1  100 %',
});

example('Who takes the step with several values is in one table, that of the run that counts', {
  because: 'Both visits lead to the sign-up; of runs that arrive together the last to begin counts, which was with Safari.',
  events: `
    ann  2024-05-01 10:00  visited    browser=Chrome
    ann  2024-05-01 10:05  visited    browser=Safari
    ann  2024-05-01 10:06  signed up
  `,
  query: by({ breakdown: 'browser' }, { breakdownAttributionType: 'step', breakdownAttributionValue: 0 }),
  answer: `
    Safari:  visited    1
    Safari:  signed up  1  60 s
  `,
});

example('Without an order the step of the attribution is the one that comes first, or second', {
  because: 'Ben signed up before he visited: the first event of his run was on the pro plan.',
  events: `
    ann  2024-05-01 10:00  visited    plan=free
    ann  2024-05-01 10:01  signed up  plan=pro
    ben  2024-05-01 10:00  signed up  plan=pro
    ben  2024-05-01 10:03  visited    plan=free
  `,
  query: by(PLAN, { funnelOrderType: 'unordered', breakdownAttributionType: 'step', breakdownAttributionValue: 0 }),
  answer: `
    free:  Completed 1 step   1
    free:  Completed 2 steps  1  60 s
    pro:  Completed 1 step   1
    pro:  Completed 2 steps  1  180 s
  `,
});

example('People without a value have a result of their own', {
  because: 'None of her step events has a plan; an empty text is none, too.',
  events: `
    ann  2024-05-01 10:00  visited
    ann  2024-05-01 10:01  signed up  plan=
    ben  2024-05-01 10:00  visited    plan=pro
  `,
  query: by(PLAN),
  answer: `
    (none):  visited    1
    (none):  signed up  1  60 s
    pro:  visited    1
    pro:  signed up  0
  `,
  behind: [{ point: { funnelStep: 2, funnelStepBreakdown: [''] }, people: 'ann' }],
});

example('What is beyond the limit is one value, "Other"', {
  because: 'Two are on the pro plan; the free and the team plan with one each are beyond the limit of one value.',
  events: `
    ann  2024-05-01 10:00  visited  plan=pro
    ben  2024-05-01 10:00  visited  plan=pro
    cem  2024-05-01 10:00  visited  plan=free
    cem  2024-05-01 10:01  signed up
    dan  2024-05-01 10:00  visited  plan=team
  `,
  query: by({ ...PLAN, breakdown_limit: 1 }),
  answer: `
    pro:  visited    2
    pro:  signed up  0
    Other:  visited    2
    Other:  signed up  1  60 s
  `,
  behind: [
    { point: { funnelStep: 1, funnelStepBreakdown: 'Other' }, people: 'cem, dan' },
    { point: { funnelStep: -2, funnelStepBreakdown: 'Other' }, people: 'dan' },
  ],
});

example('"Other" can be left out', {
  because: 'Only the largest value is shown.',
  events: `
    ann  2024-05-01 10:00  visited  plan=pro
    ben  2024-05-01 10:00  visited  plan=pro
    cem  2024-05-01 10:00  visited  plan=free
  `,
  query: by({ ...PLAN, breakdown_limit: 1, breakdown_hide_other_aggregation: true }),
  answer: `
    pro:  visited    2
    pro:  signed up  0
  `,
});

example('A property of the person is the one that they have now', {
  because: 'Ann is on the pro plan by now, whatever it was when she visited.',
  events: `
    ann  2024-05-01 10:00  visited    plan=free
    ann  2024-05-01 10:01  signed up  plan=free
    ben  2024-05-01 10:00  visited    plan=free
  `,
  people: `
    ann  plan=pro
    ben  plan=free
  `,
  query: by({ breakdown: 'plan', breakdown_type: 'person' }),
  answer: `
    free:  visited    1
    free:  signed up  0
    pro:  visited    1
    pro:  signed up  1  60 s
  `,
});

example('A property of the group tells groups apart', {
  because: 'acme is large and signed up; globex is small and did not.',
  events: `
    ann  2024-05-01 10:00  visited    @acme
    ben  2024-05-01 10:02  signed up  @acme
    cem  2024-05-01 10:00  visited    @globex
  `,
  groups: `
    acme    size=large
    globex  size=small
  `,
  query: {
    ...by({ breakdown: 'size', breakdown_type: 'group', breakdown_group_type_index: 0 }),
    aggregation_group_type_index: 0,
  },
  answer: `
    large:  visited    1
    large:  signed up  1  120 s
    small:  visited    1
    small:  signed up  0
  `,
});

example('Several properties make one value', {
  because: 'Free with Chrome and free with Safari are two values.',
  events: `
    ann  2024-05-01 10:00  visited  plan=free, browser=Chrome
    ben  2024-05-01 10:00  visited  plan=free, browser=Safari
    cem  2024-05-01 10:00  visited  plan=free, browser=Safari
  `,
  query: by({ breakdown: ['plan', 'browser'] }),
  answer: `
    free / Safari:  visited    2
    free / Safari:  signed up  0
    free / Chrome:  visited    1
    free / Chrome:  signed up  0
  `,
  behind: [{ point: { funnelStep: 1, funnelStepBreakdown: ['free', 'Safari'] }, people: 'ben, cem' }],
});

example('The histogram ignores a breakdown', {
  because: 'A saved insight may still have one from when it showed steps: the histogram is of all.',
  events: `
    ann  2024-05-01 10:00  visited    plan=free
    ann  2024-05-01 10:01  signed up
    ben  2024-05-01 10:00  visited    plan=pro
    ben  2024-05-01 10:03  signed up
  `,
  query: by(PLAN, { funnelVizType: 'time_to_convert', binCount: 1 }),
  answer: `
    60 s   1
    180 s  1
    average  120 s
  `,
});
