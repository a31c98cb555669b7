import { queryOptions } from '@tanstack/react-query';
import type { Question } from '../query/question.js';
import { api, type Schemas, unwrap } from './api.js';

export type Answer = Schemas['QueryResult'];

/** Asks the engine a question. `refresh`: see the guide of the API; default: what is known, if it is fresh. */
export const ask = (
  project: string,
  question: Question | Record<string, unknown>,
  refresh: string,
  signal?: AbortSignal,
): Promise<Answer> =>
  unwrap(
    api.POST('/api/environments/{project_id}/query/', {
      params: { path: { project_id: project } },
      // the API checks the question: what people build may be incomplete
      body: { query: question, refresh } as never,
      ...(signal && { signal }),
    }),
  );

/** The answer to a question. While the question changes, the answer before stays. */
export const answerQuery = (project: string, question: Question | null, refresh = 'blocking') =>
  queryOptions({
    queryKey: ['project', project, 'answer', question],
    queryFn: ({ signal }) => ask(project, question as Question, refresh, signal),
    enabled: question !== null,
    staleTime: 10_000,
  });
