import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../http/validate.js';
import { type TestEvents, testEvents } from '../../testing/events.js';
import { putSeeded, seededData } from '../../testing/seeded-events.js';
import { querySchema } from '../query.js';
import { runQuery } from '../run.js';

/* Answers over data that is always the same: a change in them is a change in what people see. */

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putSeeded(events, seededData({ seed: 6 }));
});
afterAll(() => events.close());

const node = (event: string) => ({ kind: 'EventsNode', event });
const dateRange = { date_from: '2024-03-20', date_to: '2024-04-05' };
const series = ['$pageview', 'signed up', 'bought'].map(node);
const properties = {
  type: 'OR',
  values: [{ type: 'AND', values: [{ type: 'person', key: 'plan', operator: 'is_not', value: ['free'] }] }],
};

test.each([
  ['funnel', { kind: 'FunnelsQuery', series, dateRange, breakdownFilter: { breakdown: '$browser', breakdown_limit: 2 } }],
  ['funnel-over-time', { kind: 'FunnelsQuery', series, dateRange, funnelsFilter: { funnelVizType: 'trends' }, properties }],
  ['retention', { kind: 'RetentionQuery', dateRange, retentionFilter: { period: 'Day', totalIntervals: 6 } }],
  ['stickiness', { kind: 'StickinessQuery', dateRange, series, interval: 'day' }],
  ['lifecycle', { kind: 'LifecycleQuery', dateRange, series: [node('$pageview')], interval: 'week' }],
  ['paths', { kind: 'PathsQuery', dateRange, pathsFilter: { includeEventTypes: ['$pageview', 'custom_event'], edgeLimit: 12 } }],
])('%s', async (name, query) => {
  const context = { projectId: 1, timezone: 'Europe/Berlin', now: Date.UTC(2024, 3, 8, 12) };
  const { results } = await runQuery(events.store, validate(querySchema, query), context);
  await expect(`${JSON.stringify(results, null, 1)}\n`).toMatchFileSnapshot(`golden/${name}.txt`);
});
