import type { Question, Series } from './question.js';

/** The question how many events the answer to a question is computed from; null: SQL, which says so itself. */
export function eventsBehind(question: Question): Question | null {
  const { kind, dateRange, properties, filterTestAccounts } = question;
  const counted = countedBy(question);
  if (kind === 'HogQLQuery' || counted.length === 0) return null;
  const distinct = new Map(counted.map((series) => [JSON.stringify(series), series]));
  // every event includes the others
  const every = [...distinct.values()].find((one) => one.kind === 'EventsNode' && one.event === null && !one.properties?.length);
  return {
    kind: 'TrendsQuery',
    series: every ? [every] : [...distinct.values()],
    ...(dateRange && { dateRange }),
    ...(properties && { properties }),
    ...(filterTestAccounts && { filterTestAccounts }),
    trendsFilter: { display: 'BoldNumber' },
  };
}

/** The number in the answer to {@link eventsBehind}. */
export const eventsIn = (results: unknown): number =>
  Array.isArray(results)
    ? results.reduce((sum: number, one: { aggregated_value?: number }) => sum + (one.aggregated_value ?? 0), 0)
    : 0;

const every: Series = { kind: 'EventsNode', event: null, math: 'total' };

function countedBy({ kind, series = [], retentionFilter, pathsFilter }: Question): Series[] {
  switch (kind) {
    case 'RetentionQuery':
      return [retentionFilter?.['targetEntity'], retentionFilter?.['returningEntity']].map(entitySeries);
    case 'PathsQuery': {
      const types = pathsFilter?.['includeEventTypes'];
      if (!Array.isArray(types) || types.length === 0 || types.some((type) => type !== '$pageview' && type !== '$screen'))
        return [every];
      return types.map((event) => ({ ...every, event: String(event) }));
    }
    default:
      return series.map(({ kind: node, event = null, id, properties }) => ({
        kind: node,
        ...(node === 'ActionsNode' ? { id: id ?? null } : { event }),
        math: 'total',
        ...(properties?.length && { properties }),
      }));
  }
}

function entitySeries(entity: unknown): Series {
  const { id, type, properties } = (entity ?? {}) as { id?: unknown; type?: string; properties?: Series['properties'] };
  const filters = properties?.length ? { properties } : {};
  if (type === 'actions') return { kind: 'ActionsNode', id: Number(id), math: 'total', ...filters };
  return { ...every, event: typeof id === 'string' ? id : null, ...filters };
}
