import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { HISTORY_START, putRows, rowsOf } from '../../../testing/histories.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';

const DAY = 86_400_000;
const NOW = HISTORY_START + 11 * DAY;

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
});
afterAll(() => events.close());

let projectId = 0;
const ask = (query: object) => runQuery(events.store, validate(querySchema, query), { projectId, timezone: 'UTC', now: NOW });

const twoSteps = {
  kind: 'FunnelsQuery',
  series: ['a', 'b'].map((event) => ({ kind: 'EventsNode', event })),
  dateRange: { date_from: '2024-03-29' },
};

test('a breakdown value is a list for properties of events and a text for groups; a missing one is empty and the rest "Other"', async () => {
  const own = ['small', 'large', '', 'tiny', 'tiny'].map((size, index) => ({ size, key: `g${index}` }));
  const a = (key: string, plan: string) => ({ event: 'a', person: 3, time: DAY, properties: { plan }, group: key });
  await putRows(
    events,
    rowsOf(
      own.map(({ size, key }) => a(key, size)),
      ++projectId,
    ),
  );
  const group = { project_id: projectId, group_type_index: 1, created_at: 0, version: 1 };
  await events.put(
    'groups',
    own.map(({ size, key }) => ({ ...group, group_key: key, properties: { size } })),
  );
  const shownFor = async (breakdownFilter: object, rest: object = {}) => {
    const query = { ...twoSteps, aggregation_group_type_index: 1, breakdownFilter, ...rest };
    const results = (await ask(query)).results as unknown as { breakdown?: unknown; breakdown_value: unknown }[][];
    return results.flat().map(({ breakdown, breakdown_value: value }) => [breakdown, value]);
  };
  const ofGroup = { breakdown: 'size', breakdown_type: 'group', breakdown_group_type_index: 1, breakdown_limit: 2 };
  expect(await shownFor(ofGroup)).toEqual(['tiny', 'tiny', '', '', 'Other', 'Other'].map((value) => [value, value]));
  const ofEvent = { breakdown: 'plan', breakdown_limit: 2 };
  expect(await shownFor(ofEvent)).toEqual(['tiny', 'tiny', '', '', 'Other', 'Other'].map((value) => [[value], [value]]));
  const overTime = { funnelsFilter: { funnelVizType: 'trends' } };
  expect(await shownFor(ofEvent, overTime)).toEqual(['tiny', '', 'Other'].map((value) => [undefined, [value]]));
  const several = { breakdown: ['plan', 'path'], breakdown_limit: 1 };
  expect(await shownFor(several, overTime)).toEqual(
    [
      ['tiny', ''],
      ['Other', 'Other'],
    ].map((value) => [undefined, value]),
  );
});

test('the histogram ignores a breakdown, with a warning; its bars are a minute wide if all durations are equal', async () => {
  const did = [3, 4].flatMap((person) => [
    { event: 'a', person, time: DAY, properties: {}, group: '' },
    { event: 'b', person, time: DAY + 90_250, properties: {}, group: '' },
  ]);
  await putRows(events, rowsOf(did, ++projectId));
  const query = (rest: object) => ask({ ...twoSteps, funnelsFilter: { funnelVizType: 'time_to_convert', binCount: 2 }, ...rest });
  const results = {
    bins: [
      [90, 2],
      [150, 0],
      [210, 0],
    ],
    average_conversion_time: 90.25,
  };
  expect(await query({})).toEqual({ results });
  const breakdownFilter = { breakdown: 'plan', breakdown_histogram_bin_count: 3 };
  expect(await query({ breakdownFilter })).toEqual({ results, warnings: [expect.stringContaining('breakdownFilter')] });
});
