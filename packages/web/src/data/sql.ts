import { queryOptions } from '@tanstack/react-query';
import { ask } from './answer.js';
import { api, unwrap } from './api.js';

/** The tables of a project. */
export const TABLES = ['events', 'persons', 'sessions', 'groups'] as const;
export type TableName = (typeof TABLES)[number];

export interface Column {
  name: string;
  /** In a word: text, number, time, yes/no, list, uuid. */
  type: string;
}

export interface SqlTable {
  name: TableName;
  columns: Column[];
}

/** A type of ClickHouse in a word. */
export function typeWord(type: string): string {
  const inner = type.replace(/^(?:Nullable|LowCardinality)\((.*)\)$/, '$1');
  if (inner !== type) return typeWord(inner);
  if (/^(U?Int|Float|Decimal)/.test(type)) return 'number';
  if (/^Date/.test(type)) return 'time';
  if (type === 'Bool') return 'yes/no';
  if (/^(Array|Tuple|Map)/.test(type)) return 'list';
  return type === 'UUID' ? 'uuid' : 'text';
}

/** The answer to a select. */
export interface SqlAnswer {
  columns: string[];
  types: [name: string, type: string][];
  results: unknown[][];
  hasMore: boolean;
  timezone: string;
  /** Milliseconds that the engine took; null: not known. */
  took: number | null;
}

async function select(project: string, query: string, refresh: string, signal?: AbortSignal): Promise<SqlAnswer> {
  const answer = await ask(project, { kind: 'HogQLQuery', query }, refresh, signal);
  const {
    columns = [],
    types = [],
    results,
    hasMore = false,
    timezone,
    timings,
  } = answer as unknown as {
    columns?: string[];
    types?: [string, string][];
    results: unknown[][];
    hasMore?: boolean;
    timezone: string;
    timings?: { t: number }[];
  };
  const seconds = timings?.[0]?.t;
  return { columns, types, results, hasMore, timezone, took: seconds === undefined ? null : Math.round(seconds * 1_000) };
}

/** The answer to a select of a person. @param query null: none was run */
export const sqlQuery = (project: string, query: string | null) =>
  queryOptions({
    queryKey: ['project', project, 'sql', query],
    queryFn: ({ signal }) => select(project, query ?? '', 'blocking', signal),
    enabled: query !== null,
    staleTime: 10_000,
  });

/** Runs a select again, whatever is known. */
export const runSql = (project: string, query: string, signal?: AbortSignal): Promise<SqlAnswer> =>
  select(project, query, 'force_blocking', signal);

/** The tables with their columns and types, as the engine answers them. */
export const tablesQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'sql-tables'],
    queryFn: ({ signal }) =>
      Promise.all(
        TABLES.map(async (name): Promise<SqlTable> => {
          const { types } = await select(project, `select * from ${name} limit 1`, 'blocking', signal);
          return { name, columns: types.map(([column, type]) => ({ name: column, type: typeWord(type) })) };
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A select with how it is drawn, as an insight has it. */
export interface SqlNode {
  kind: 'DataVisualizationNode';
  source: { kind: 'HogQLQuery'; query: string };
  /** Absent: a table. */
  display?: string;
  chartSettings?: Record<string, unknown>;
}

/** Saves a select as an insight. */
export const saveSql = (project: string, node: SqlNode, name: string) =>
  unwrap(
    api.POST('/api/environments/{project_id}/insights/', {
      params: { path: { project_id: project } },
      body: { name, query: node, saved: true } as never,
    }),
  );
