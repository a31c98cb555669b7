import { expect, test } from 'vitest';
import { hasPeople, peopleBehind } from './people-behind.js';
import { isPointName } from './point-name.js';
import { newQuestion, type Question } from './question.js';

/** The choices of a point as label, value and the fields of the source besides the question. */
function choicesOf(question: Question, results: unknown, point: string) {
  const found = peopleBehind(question, results, point);
  return found?.choices.map(({ label, value, source: { kind: _kind, source: _source, ...fields } }) => [label, value, fields]);
}

const event = (name: string) => ({ kind: 'EventsNode' as const, event: name, name });

test('a time of a trend has the people of each series, and selects the largest', () => {
  const question: Question = { kind: 'TrendsQuery', series: [event('$pageview'), event('signed up')] };
  const days = ['2026-11-23', '2026-11-24'];
  const results = [
    { action: { order: 0, name: '$pageview' }, label: '$pageview', days, data: [5, 1] },
    { action: { order: 1, name: 'signed up' }, label: 'signed up', days, data: [2, 3] },
  ];
  expect(choicesOf(question, results, '1')).toEqual([
    ['Page view', 1, { series: 0, day: '2026-11-24' }],
    ['signed up', 3, { series: 1, day: '2026-11-24' }],
  ]);
  expect(peopleBehind(question, results, '1')).toMatchObject({ title: 'Tue, 24 Nov 2026', selected: 1 });
  expect(peopleBehind(question, results, '1.0')).toMatchObject({ selected: 0 });
  expect(peopleBehind(question, results, '2')).toBeNull();
});

test('a breakdown names its value, and the period before its own day', () => {
  const question: Question = { kind: 'TrendsQuery', series: [event('$pageview')] };
  const part = { action: { order: 0, name: '$pageview' }, breakdown_value: ['Chrome'] };
  const results = [
    { ...part, days: ['2026-11-23'], data: [5], compare_label: 'current' },
    { ...part, days: ['2026-11-16'], data: [4], compare_label: 'previous' },
    { ...part, days: ['2026-11-23'], data: [1], breakdown_value: '$$_posthog_breakdown_other_$$', compare_label: 'current' },
  ];
  expect(choicesOf(question, results, '0')).toEqual([
    ['Chrome', 5, { series: 0, day: '2026-11-23', breakdown: ['Chrome'] }],
    ['Chrome, the period before', 4, { series: 0, day: '2026-11-16', breakdown: ['Chrome'], compare: 'previous' }],
    ['Other', 1, { series: 0, day: '2026-11-23', breakdown: '$$_posthog_breakdown_other_$$' }],
  ]);
});

test('a formula has the people of the series that it is made of', () => {
  const question: Question = { kind: 'TrendsQuery', series: [event('a'), event('b')], trendsFilter: { formula: 'A / B' } };
  const results = [{ action: null, order: 0, label: 'A / B', days: ['2026-11-23'], data: [0.5] }];
  expect(choicesOf(question, results, '0')).toEqual([
    ['a', null, { series: 0, day: '2026-11-23' }],
    ['b', null, { series: 1, day: '2026-11-23' }],
  ]);
});

test('a total has the people of the whole time', () => {
  const question: Question = { kind: 'TrendsQuery', series: [event('a')] };
  const results = [
    { action: { order: 0, name: 'a' }, breakdown_value: ['x'], aggregated_value: 7 },
    { action: { order: 0, name: 'a' }, breakdown_value: ['y'], aggregated_value: 2 },
  ];
  expect(peopleBehind(question, results, 'total.1')).toMatchObject({ title: 'Whole time', selected: 1 });
  expect(choicesOf(question, results, 'total.1')?.[1]).toEqual(['y', 2, { series: 0, breakdown: ['y'] }]);
});

test('a step of a funnel has who took it and who did not, also past a step that is optional', () => {
  const question: Question = {
    kind: 'FunnelsQuery',
    series: [event('a'), { ...event('b'), optionalInFunnel: true }, event('c')],
  };
  const results = [
    { name: 'a', count: 10 },
    { name: 'b', count: 3 },
    { name: 'c', count: 4 },
  ];
  expect(choicesOf(question, results, 'lost.3.0')).toEqual([
    ['Took step 3', 4, { funnelStep: 3 }],
    ['Took step 1 and not step 3', 6, { funnelStep: -3 }],
  ]);
  expect(peopleBehind(question, results, 'lost.3.0')).toMatchObject({ title: 'Step 3: c', selected: 1 });
  expect(choicesOf(question, results, 'step.1.0')).toEqual([['Took step 1', 10, { funnelStep: 1 }]]);
  const broken = results.map((step) => ({ ...step, breakdown_value: ['Chrome'] }));
  expect(choicesOf(question, [broken], 'step.1.0')).toEqual([
    ['Took step 1, Chrome', 10, { funnelStep: 1, funnelStepBreakdown: ['Chrome'] }],
  ]);
});

test('conversion over time has who converted and who did not', () => {
  const question: Question = { kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: 'trends' } };
  const results = [{ days: ['2026-11-23'], data: [25], reached_from_step_count: [8], reached_to_step_count: [2] }];
  expect(choicesOf(question, results, '0')).toEqual([
    ['Converted', 2, { funnelTrendsEntrancePeriodStart: '2026-11-23' }],
    ['Dropped off', 6, { funnelTrendsEntrancePeriodStart: '2026-11-23', funnelTrendsDropOff: true }],
  ]);
});

test('a cell of retention has the people who returned and those of its cohort', () => {
  const question = newQuestion('RetentionQuery');
  const results = [{ date: '2026-11-23T00:00:00Z', label: 'Day 0', values: [{ count: 9 }, { count: 4 }] }];
  expect(choicesOf(question, results, 'cohort.0.1')).toEqual([
    ['Came back in day 1', 4, { interval: 0, later: 1 }],
    ['Began', 9, { interval: 0, later: 0 }],
  ]);
  expect(peopleBehind(question, results, 'cohort.0.1')?.title).toBe('Began Mon, 23 Nov 2026');
  expect(peopleBehind(question, results, 'cohort.0.2')).toBeNull();
});

test('a bar of a lifecycle has its status, one of stickiness its number of days', () => {
  const lifecycle = newQuestion('LifecycleQuery');
  const bars = [
    { status: 'new', days: ['2026-11-23'], data: [3] },
    { status: 'dormant', days: ['2026-11-23'], data: [-5] },
  ];
  expect(choicesOf(lifecycle, bars, '0')).toEqual([
    ['New', 3, { day: '2026-11-23', status: 'new' }],
    ['Dormant', 5, { day: '2026-11-23', status: 'dormant' }],
  ]);
  const stickiness = newQuestion('StickinessQuery');
  const results = [{ action: { order: 0, name: '$pageview' }, days: [1, 2], labels: ['1 day', '2 days'], data: [4, 6] }];
  expect(peopleBehind(stickiness, results, '1')?.title).toBe('Active for 2 days');
  expect(choicesOf(stickiness, results, '1')).toEqual([['Page view', 6, { series: 0, day: '2' }]]);
});

test('a page of paths has its people who came, continued and left, and a flow has its people', () => {
  const question = newQuestion('PathsQuery');
  const results = [
    { source: '1_/a', target: '2_/b', value: 5 },
    { source: '2_/b', target: '3_/c', value: 2 },
  ];
  const keys = (point: string) =>
    peopleBehind(question, results, point)?.choices.map(({ label, value, source }) => {
      const { pathsFilter } = source['source'] as Question;
      const { includeEventTypes: _types, stepLimit: _limit, ...rest } = pathsFilter ?? {};
      return [label, value, rest];
    });
  expect(keys('to.2_/b')).toEqual([
    ['Paths that came here', 5, { pathEndKey: '2_/b' }],
    ['Paths that went on', 2, { pathStartKey: '2_/b' }],
    ['Paths that ended here', null, { pathDropoffKey: '2_/b' }],
  ]);
  expect(keys('edge.["1_/a","2_/b"]')).toEqual([['Paths with this step', 5, { pathStartKey: '1_/a', pathEndKey: '2_/b' }]]);
  expect(keys('edge.["1_/a","3_/c"]')).toBeUndefined();
});

test('an address has only names of points', () => {
  const names = ['3', '3.1', 'step.2.0', 'lost.2.0', 'cohort.1.4', 'total.0', 'to.2_/a.b', 'edge.["1_/a","2_/b"]'];
  expect(names.filter((name) => !isPointName(name))).toEqual([]);
  expect(['', 'x', '-1', 'step.2', 'cohort.a.1', 'to./a', '1.2.3'].filter(isPointName)).toEqual([]);
});

test('no people stand behind SQL and behind times to convert', () => {
  expect(hasPeople(newQuestion('HogQLQuery'))).toBe(false);
  expect(hasPeople({ kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: 'time_to_convert' } })).toBe(false);
  expect(hasPeople(newQuestion('FunnelsQuery'))).toBe(true);
});
