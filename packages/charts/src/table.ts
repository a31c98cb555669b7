import type { Insight } from './insight.js';

/** A cell of a table: the types that spreadsheets have. */
export type Cell = string | number | boolean | null;

export interface Table {
  columns: string[];
  rows: Cell[][];
}

/** Converts an insight to a table for spreadsheets: all rows, unformatted. */
export function insightTable(insight: Insight): Table {
  switch (insight.kind) {
    case 'series':
      return seriesTable(insight);
    case 'funnel':
      return {
        columns: ['name', 'breakdown_value', 'count', 'median_conversion_time (seconds)', 'average_conversion_time (seconds)'],
        rows: insight.groups.flatMap(({ breakdown, steps }) =>
          steps.map((step) => [step.customName ?? step.name, breakdown, step.count, step.medianTime, step.averageTime]),
        ),
      };
    case 'retention': {
      const periods = Math.max(0, ...insight.cohorts.map(({ values }) => values.length));
      const hasBreakdown = insight.cohorts.some(({ breakdown }) => breakdown !== null);
      return {
        columns: [
          ...(hasBreakdown ? ['breakdown_value'] : []),
          'cohort',
          'cohort size',
          ...Array.from({ length: periods }, (_, i) => `period ${i}`),
        ],
        rows: insight.cohorts.map(({ label, date, breakdown, values }) => [
          ...(hasBreakdown ? [breakdown] : []),
          date ?? label,
          values[0] ?? 0,
          ...Array.from({ length: periods }, (_, i) => values[i] ?? null),
        ]),
      };
    }
    case 'paths':
      return {
        columns: ['source', 'target', 'value', 'average_conversion_time (ms)'],
        rows: insight.edges.map(({ source, target, value, averageTime }) => [source, target, value, averageTime]),
      };
    case 'rows':
      return { columns: insight.columns, rows: insight.rows.map((row) => row.map(cellOf)) };
    case 'comparison': {
      const { warning } = insight;
      const isOfMetrics = insight.variants.some(({ metric }) => metric);
      const hasNote = warning !== undefined || insight.variants.some(({ unknown }) => unknown);
      return {
        columns: [
          ...(isOfMetrics ? ['metric'] : []),
          'variant',
          ...(insight.variants[0]?.details.map(({ label }) => label.toLowerCase()) ?? []),
          ...['change', 'low', 'high', ...(hasNote ? ['note'] : [])],
        ],
        rows: insight.variants.map(({ name, metric, details, change, unknown }, i) => [
          ...(isOfMetrics ? [metric?.name ?? null] : []),
          name,
          ...details.map(({ text, value }) => value ?? (text || null)),
          change?.value ?? null,
          change?.low ?? null,
          change?.high ?? null,
          ...(hasNote ? [(i === 0 && warning ? `${warning.fact}. ${warning.cause}` : unknown) ?? null] : []),
        ]),
      };
    }
    case 'nothing':
      return { columns: [], rows: [] };
  }
}

function seriesTable({ series, days, labels }: Extract<Insight, { kind: 'series' }>): Table {
  if (series.length === 0) return { columns: [], rows: [] };
  const hasCustom = series.some(({ customName }) => customName !== null);
  const hasBreakdown = series.some(({ breakdown }) => breakdown !== null);
  const hasStatus = series.some(({ status }) => status !== null);
  const isCompared = series.some(({ isPrevious }) => isPrevious);
  const dates = days.length > 0 ? days : labels;
  return {
    columns: [
      'series',
      ...(hasCustom ? ['custom name'] : []),
      ...(hasBreakdown ? ['breakdown'] : []),
      ...(hasStatus ? ['status'] : []),
      ...dates,
      'total',
    ],
    rows: series.map((one) => [
      isCompared ? `${one.name} - ${one.isPrevious ? 'previous' : 'current'}` : one.name,
      ...(hasCustom ? [one.customName] : []),
      ...(hasBreakdown ? [one.breakdown] : []),
      ...(hasStatus ? [one.status] : []),
      ...dates.map((_, i) => one.data[i] ?? null),
      one.total,
    ]),
  };
}

/** Converts any JSON value to a cell; lists and objects become JSON text. */
export function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return JSON.stringify(value);
}
