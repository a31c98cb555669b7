import { captured, JSON_TYPE, json, MIB, times, type WorstRequest, worstQuery } from './worst-request.js';

/** A request with another body each time, by its number. */
function changing(name: string, bodyOf: (round: number) => object, path?: string): WorstRequest {
  let round = 0;
  return {
    ...captured(name, Buffer.alloc(0), JSON_TYPE, path),
    get body() {
      return Buffer.from(JSON.stringify(bodyOf(round++)));
    },
  };
}

const members = (count: number, value: unknown) => Object.fromEntries(times(count, (index) => [`k${index}`, value]));

/** Changes of persons and groups, and names that are new. */
export function changes(key: string): WorstRequest[] {
  const batch = (name: string, count: number, eventOf: (index: number, round: number) => object) =>
    changing(`changes: ${name}`, (round) => ({
      api_key: key,
      batch: times(count, (index) => ({ event: 'worst', distinct_id: 'a', ...eventOf(index, round) })),
    }));
  return [
    batch('new persons of many properties', 1_000, (index, round) => ({
      distinct_id: `new ${round} ${index}`,
      $set: members(500, index),
    })),
    batch('persons of many properties', 1_000, (index, round) => ({
      distinct_id: `changed ${index}`,
      $set: members(500, round),
    })),
    batch('new persons of thousands of properties', 60, (index, round) => ({
      distinct_id: `large ${round} ${index}`,
      $set: members(5_000, index),
    })),
    batch('a new person of the most properties', 1, (_, round) => ({
      distinct_id: `largest ${round}`,
      $set: members(20_000, 1),
    })),
    batch('groups of many properties', 1_000, (index, round) => ({
      event: '$groupidentify',
      properties: { $group_type: 'worst', $group_key: `${round} ${index}`, $group_set: members(300, index) },
    })),
    batch('a group of many properties, changed often', 1_000, (index, round) => ({
      event: '$groupidentify',
      properties: { $group_type: 'worst', $group_key: 'often', $group_set: members(300, round + index) },
    })),
    batch('a group of the most properties', 1, (_, round) => ({
      event: '$groupidentify',
      properties: { $group_type: 'worst', $group_key: `largest ${round}`, $group_set: members(40_000, 1) },
    })),
    batch('new names of events with many properties', 500, (index, round) => ({
      event: `new ${round} ${index}`,
      properties: members(1_000, 1),
    })),
  ];
}

export function recordings(token: string): WorstRequest[] {
  const event = (data: unknown, round: number) => ({
    event: '$snapshot',
    properties: { token, distinct_id: 'a', $session_id: `s${round}`, $snapshot_data: data },
  });
  const recording = (name: string, events: (round: number) => object[]) => changing(`recording: ${name}`, events, '/s/');
  const small = { type: 3, timestamp: 1, data: { a: [1] } };
  const page = times(20_000, (index) => ({ a: 'x'.repeat(80), b: index }));
  return [
    {
      name: 'recording: allowed',
      method: 'PATCH',
      path: '/api/environments/@current/',
      as: 'personal',
      ...json({ session_recording_opt_in: true }),
    },
    recording('snapshots', (round) => [
      event(
        times(50_000, () => small),
        round,
      ),
    ]),
    recording('a large page', (round) => [event([{ type: 2, timestamp: 1, data: page }], round)]),
    recording('a long text', (round) => [event([{ type: 2, timestamp: 1, data: 'x'.repeat(2 * MIB) }], round)]),
    recording('a long text of wide characters', (round) => [
      event([{ type: 2, timestamp: 1, data: '中'.repeat(MIB / 2) }], round),
    ]),
    recording('many events', (round) =>
      times(2, () =>
        event(
          times(15_000, () => ({ ...small, data: 'x'.repeat(120) })),
          round,
        ),
      ),
    ),
  ];
}

/** Queries with large answers, after the events that these need. */
export function answers(key: string): WorstRequest[] {
  const breakdownFilter = { breakdown_type: 'event', breakdown: 'value', breakdown_limit: 50 };
  const days = { interval: 'minute', dateRange: { date_from: '-6d' } };
  const series = [{ kind: 'EventsNode', event: 'large answer' }];
  return [
    changing('answer: its events', () => ({
      api_key: key,
      batch: times(1_000, (index) => ({
        event: 'large answer',
        distinct_id: 'a',
        timestamp: new Date(Date.now() - (index % 6) * 24 * 3_600_000).toISOString(),
        properties: { value: `v${index % 60}` },
      })),
    })),
    worstQuery('answer: lines of many points', { kind: 'TrendsQuery', series, ...days, breakdownFilter }),
    worstQuery('answer: lines of many means', {
      kind: 'TrendsQuery',
      series,
      ...days,
      breakdownFilter,
      trendsFilter: { smoothingIntervals: 7 },
    }),
    worstQuery('answer: lines of many points by a formula', {
      kind: 'TrendsQuery',
      series,
      ...days,
      breakdownFilter,
      trendsFilter: { formula: 'A * 2' },
    }),
    worstQuery('answer: lines of many points by long formulas', {
      kind: 'TrendsQuery',
      series,
      ...days,
      breakdownFilter,
      trendsFilter: { formulas: times(2, (index) => `A * ${index}${' + A'.repeat(98)}`) },
    }),
    worstQuery('answer: lines of many means of a year', {
      kind: 'TrendsQuery',
      series,
      ...days,
      breakdownFilter,
      trendsFilter: { smoothingIntervals: 365 },
    }),
    worstQuery('answer: many rows', { kind: 'HogQLQuery', query: 'select arrayJoin(range(1000)), range(500)' }),
  ];
}
