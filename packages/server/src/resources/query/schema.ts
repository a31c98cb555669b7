import { z } from 'zod';
import { querySchema } from '../../query/index.js';

export const bodySchema = z.object({
  query: querySchema.describe('The query, bare or in the node by which an insight wraps it.').meta({
    example: {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
      dateRange: { date_from: '-7d' },
    },
  }),
});

const is_cached = z.boolean().describe('Whether the result was computed before.');

const eventsSchema = z
  .object({
    results: z.array(z.array(z.unknown())).describe('A row for each event, a value for each column.'),
    columns: z.array(z.string()).describe('The columns, in the order of the values.'),
    types: z.array(z.string()).describe('The type of each column.'),
    hasMore: z.boolean().describe('Whether there are rows behind the last.'),
    limit: z.int().describe('Rows at most.'),
    offset: z.int().describe('Rows before the first.'),
    is_cached,
  })
  .meta({ id: 'EventsResult', description: 'Answers an `EventsQuery`.' });

const series = z.object({
  action: z
    .object({
      id: z.string().nullable().describe('Name of the events; null: all.'),
      type: z.literal('events').describe('What is counted.'),
      order: z.int().describe('Place of the series in the query.'),
      name: z.string().describe('What the series is called.'),
      custom_name: z.string().nullable().describe('What people call the series.'),
      math: z.enum(['total', 'dau', 'unique_group']).describe('What is counted of the events.'),
    })
    .describe('The series of the query.'),
  label: z.string().describe('What to call the line.'),
  count: z.number().describe('The sum of `data`.'),
  data: z.array(z.number()).describe('A number for every interval, zeros included.'),
  labels: z.array(z.string()).describe('The intervals, for people.'),
  days: z.array(z.string()).describe('The intervals, for programs.'),
});

const trendsSchema = z
  .object({
    results: z.array(series).describe('One line for each series.'),
    hasMore: z.literal(false).describe('All lines are here.'),
    is_cached,
  })
  .meta({ id: 'TrendsResult', description: 'Answers a `TrendsQuery`.' });

export const resultSchema = z.union([eventsSchema, trendsSchema]);
