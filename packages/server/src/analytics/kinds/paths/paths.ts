import { ApiError } from '../../../kernel/errors.js';
import type { Span } from '../../buckets.js';
import type { Filter } from '../../filter.js';
import { type Execute, type Kind, type KindContext, scaledBy } from '../kind.js';
import { spanFor } from '../span.js';
import type { PathsQuery } from './paths-schema.js';
import { edgesStatement, stepNames } from './paths-sql.js';
import { LONGEST_SPAN, MOST_NAMES, numbered } from './step-form.js';

/** An edge between consecutive steps: `1_/` to `2_/pricing`. */
export interface PathEdge {
  source: string;
  target: string;
  /** Number of paths. */
  value: number;
  /** Milliseconds. */
  average_conversion_time: number;
}

export interface PathsResult {
  results: PathEdge[];
}

export const PATHS: Kind<PathsQuery, PathsResult> = { filters: filtersOf, run: runPaths };

/** Cleaning patterns are listed as regex filters, so that they are compiled before the query runs. */
function filtersOf({ properties, cleanings }: PathsQuery): Record<string, Filter> {
  const patterns = cleanings.map(({ regex }, index): [string, Filter] => [
    `pathsFilter__localPathCleaningFilters__${index}__regex`,
    { owner: { type: 'event' }, key: 'path', operator: 'regex', values: [regex] },
  ]);
  return { properties, ...Object.fromEntries(patterns) };
}

/** Rejects invalid cleaning patterns. @throws ApiError invalid_input */
export function requirePatterns({ cleanings }: PathsQuery, { brokenPatterns }: KindContext): void {
  const broken = cleanings.findIndex(({ regex }) => brokenPatterns.has(regex));
  if (broken < 0) return;
  const field = `query__pathsFilter__localPathCleaningFilters__${broken}__regex`;
  throw new ApiError('invalid_input', 'This is not a regular expression that can be used.', field);
}

async function runPaths(query: PathsQuery, context: KindContext, execute: Execute): Promise<PathsResult> {
  requirePatterns(query, context);
  const span = await spanFor(query, 'day', context, execute);
  const rows = await edgesOf(query, span, context, execute);
  const scaled = scaledBy(query);
  const edges = rows.map(({ number, source, target, paths, average }) => ({
    source: `${number}_${source}`,
    target: `${number + 1}_${target}`,
    value: scaled(paths),
    average_conversion_time: average,
  }));
  return { results: connected(edges) };
}

/** Finds the edges by numbers for the names of steps, or by the names themselves where there are too many. */
async function edgesOf(query: PathsQuery, span: Span, context: KindContext, execute: Execute): Promise<Row[]> {
  const hasGap = query.start !== null && query.end !== null;
  const byNames = edgesStatement(query, span, context);
  if (hasGap || span.to - span.from >= LONGEST_SPAN) return execute.ofSpan<Row>(byNames, span);
  const form = numbered(span.from, stepNames(query, span, context, MOST_NAMES + 1));
  // without any row there may be too many names
  return execute.ofSpan<Row>(edgesStatement(query, span, context, form), span, { otherwise: byNames, byPerson: byNames });
}

interface Row {
  number: number;
  source: string;
  target: string;
  paths: number;
  average: number;
}

/** Drops edges that are no longer connected to a first step, because lighter edges between them were cut. */
function connected(edges: PathEdge[]): PathEdge[] {
  const reached = new Set(edges.flatMap(({ source }) => (source.startsWith('1_') ? [source] : [])));
  const byNumber = edges.toSorted((one, other) => Number.parseInt(one.source, 10) - Number.parseInt(other.source, 10));
  for (const { source, target } of byNumber) if (reached.has(source)) reached.add(target);
  return edges.filter(({ source }) => reached.has(source));
}
