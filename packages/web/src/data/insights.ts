import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Question } from '../query/question.js';
import { api, type Schemas, unwrap } from './api.js';

export type Insight = Schemas['Insight'];
/** An insight as lists have it. */
export type InsightRow = Awaited<ReturnType<typeof readInsights>>['results'][number];

/** The node by which an insight keeps a question. */
export const wrapQuestion = (question: Question): { kind: string; source: Question } => ({
  kind: question.kind === 'HogQLQuery' ? 'DataVisualizationNode' : 'InsightVizNode',
  source: question,
});

const pathOf = (project: string) => ({ project_id: project });

const PAGE = 100;

const readInsights = (project: string, search: string, offset: number, signal: AbortSignal) =>
  unwrap(
    api.GET('/api/environments/{project_id}/insights/', {
      params: {
        path: pathOf(project),
        query: {
          saved: true,
          basic: true,
          limit: PAGE,
          offset,
          order: '-last_modified_at',
          ...(search && { search }),
        } as never,
      },
      signal,
    }),
  );

/** The saved insights, the latest changed first, in pages of 100. */
export const insightsQuery = (project: string, search = '') =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'insights', { search }],
    queryFn: ({ signal, pageParam }) => readInsights(project, search, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }, _pages, offset) => (next ? offset + PAGE : undefined),
  });

/** One insight by its short id; without its result, which the screen asks for. */
export const insightQuery = (project: string, shortId: string) =>
  queryOptions({
    queryKey: ['project', project, 'insight', shortId],
    queryFn: async ({ signal }) => {
      const page = await unwrap(
        api.GET('/api/environments/{project_id}/insights/', {
          params: { path: pathOf(project), query: { short_id: shortId } as never },
          signal,
        }),
      );
      return page.results[0] ?? null;
    },
  });

interface InsightFields {
  name?: string;
  description?: string;
  dashboards?: number[];
  deleted?: boolean;
  favorited?: boolean;
}

export const createInsight = (project: string, question: Question, fields: InsightFields) =>
  unwrap(
    api.POST('/api/environments/{project_id}/insights/', {
      params: { path: pathOf(project) },
      body: { query: wrapQuestion(question), saved: true, ...fields } as never,
    }),
  );

export const updateInsight = (project: string, id: number, fields: InsightFields & { question?: Question }) => {
  const { question, ...rest } = fields;
  return unwrap(
    api.PATCH('/api/environments/{project_id}/insights/{id}/', {
      params: { path: { ...pathOf(project), id } } as never,
      body: { ...rest, ...(question && { query: wrapQuestion(question) }) } as never,
    }),
  );
};

/** What shows insights; dashboards have the new ones among their tiles. */
const WITH_INSIGHTS: ReadonlySet<unknown> = new Set(['insights', 'insight', 'dashboards', 'dashboard']);

/** Makes lists and screens of insights load anew. */
export const refreshInsights = (queries: QueryClient, project: string): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[1] === project && WITH_INSIGHTS.has(queryKey[2]),
  });
