import type { Insight } from './insight.js';
import { describeInsight } from './read/describe-insight.js';
import { DAY_MS, NOW, namesOf, type State, scaled } from './specimen-data.js';

const numberAt = (i: number, k: number): number => Math.round((320 / (k + 1)) * (1 + 0.3 * Math.sin(i * 0.7 + k)));

/** A trend with a line for each value of a property, the rest and events without it, by days, weeks or months. */
export function byValue(state: State, trendsFilter: object, interval: 'day' | 'week' | 'month' = 'day'): Insight {
  const length = state === 'one point' ? 1 : 14;
  const days = Array.from({ length }, (_, i) => {
    const back = length - 1 - i;
    const at =
      interval === 'month'
        ? Date.UTC(2026, 10 - back, 1)
        : Date.parse('2026-11-23') - back * (interval === 'week' ? 7 : 1) * DAY_MS;
    return new Date(at).toISOString().slice(0, 10);
  });
  const values = [...namesOf(state), '$$_posthog_breakdown_other_$$', '$$_posthog_breakdown_null_$$'];
  const results = values.map((breakdown_value, k) => {
    const data = days.map((_, i) => scaled(state, numberAt(i, k)));
    return {
      label: breakdown_value,
      breakdown_value,
      action: { name: '$pageview', order: 0, math: 'total' },
      data,
      count: data.reduce((sum, value) => sum + value, 0),
      days,
      labels: days,
    };
  });
  return describeInsight({ kind: 'TrendsQuery', interval, trendsFilter }, { results: state === 'empty' ? [] : results }, NOW);
}

/** A funnel of four steps for each value of a property. */
export function funnelByValue(state: State): Insight {
  const steps = state === 'long names' ? namesOf(state) : ['Visited site', 'Signed up', 'Created project', 'Bought a plan'];
  const shown = state === 'one point' ? steps.slice(0, 1) : steps;
  const values = [...namesOf(state), '$$_posthog_breakdown_other_$$', ''];
  const results = values.map((breakdown_value, k) =>
    shown.map((name, i) => ({
      name,
      breakdown_value,
      count: Math.round(Math.abs(scaled(state, 2_710 / (k + 1) / (i + 1) ** 1.6))),
      average_conversion_time: i === 0 ? null : 90 * i,
      median_conversion_time: i === 0 ? null : 101 * i,
    })),
  );
  return describeInsight({ kind: 'FunnelsQuery' }, { results: state === 'empty' ? [] : results }, NOW);
}

/** Weekly retention with a row for each value of a property. */
export function retentionByValue(state: State): Insight {
  const weeks = state === 'one point' ? 1 : 9;
  const results = namesOf(state).flatMap((breakdown_value, k) =>
    Array.from({ length: weeks }, (_, row) => ({
      date: new Date(Date.parse('2026-11-22') - (weeks - 1 - row) * 7 * DAY_MS).toISOString(),
      label: `Week ${row}`,
      breakdown_value,
      values: Array.from({ length: weeks - row }, (_, column) => ({
        count: Math.round(Math.abs(scaled(state, (column === 0 ? 600 : 240 / column) / (k + 1)))),
      })),
    })),
  );
  const query = { kind: 'RetentionQuery', retentionFilter: { period: 'Week' } };
  return describeInsight(query, { results: state === 'empty' ? [] : results }, NOW);
}

/** The share of people who finished a funnel, of a few percent, by the day on which they began. */
export function conversion(state: State): Insight {
  const length = state === 'one point' ? 1 : 30;
  const days = Array.from({ length }, (_, i) => new Date(NOW.now - (length - 1 - i) * DAY_MS).toISOString().slice(0, 10));
  const results = namesOf(state).map((name, k) => ({
    breakdown_value: [name],
    data: days.map((_, i) => Math.abs(scaled(state === 'huge' ? 'normal' : state, (2.4 + 0.3 * k + 0.4 * Math.sin(i + k)) * 1))),
    days,
    labels: days,
    reached_from_step_count: days.map(() => 100),
    reached_to_step_count: days.map(() => 3),
  }));
  const query = { kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: 'trends' } };
  return describeInsight(query, { results: state === 'empty' ? [] : results }, NOW);
}

/** How long people took to finish a funnel. */
export function timeToConvert(state: State): Insight {
  const count = state === 'empty' ? 0 : state === 'one point' ? 1 : state === '30 series' ? 60 : 12;
  const bins = Array.from({ length: count }, (_, i) => [i * 3_600, Math.round(Math.abs(scaled(state, 400 / (i + 1))))]);
  const query = { kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: 'time_to_convert' } };
  return describeInsight(query, { results: { bins, average_conversion_time: count === 0 ? null : 8_130 } }, NOW);
}
