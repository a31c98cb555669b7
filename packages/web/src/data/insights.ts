import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Question, wrapQuestion } from '../query/question.js';
import { api, type Schemas, unwrap } from './api.js';

export type Insight = Schemas['Insight'];

const pathOf = (project: string) => ({ project_id: project });

export interface InsightsFilter {
  search?: string;
  /** Insights before the first of the page. */
  offset?: number;
}

export const INSIGHTS_PAGE = 100;

/** A page of the saved insights, the latest changed first. */
export const insightsQuery = (project: string, { search = '', offset = 0 }: InsightsFilter) =>
  queryOptions({
    queryKey: ['project', project, 'insights', { search, offset }],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/insights/', {
          params: {
            path: pathOf(project),
            query: {
              saved: true,
              basic: true,
              limit: INSIGHTS_PAGE,
              offset,
              order: '-last_modified_at',
              ...(search && { search }),
            } as never,
          },
          signal,
        }),
      ),
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
