import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { nameInSql } from '../ui/name-in-sql.js';
import { ask } from './answer.js';
import { api, type Schemas, unwrap } from './api.js';

/** Without a field that is always null, which the client leaves out of its types. */
export type Survey = Omit<Schemas['Survey'], 'internal_targeting_flag'>;

/** Fields of a survey that a request may set. */
export interface SurveyFields {
  name?: string;
  description?: string;
  type?: 'popover' | 'api';
  questions?: Record<string, unknown>[];
  conditions?: Record<string, unknown> | null;
  appearance?: Record<string, unknown> | null;
  translations?: Record<string, Record<string, unknown>> | null;
  linked_flag_id?: number | null;
  targeting_flag_filters?: Record<string, unknown> | null;
  remove_targeting_flag?: boolean;
  schedule?: 'once' | 'recurring' | 'always';
  iteration_count?: number | null;
  iteration_frequency_days?: number | null;
  responses_limit?: number | null;
  enable_partial_responses?: boolean;
  start_date?: string | null;
  end_date?: string | null;
  archived?: boolean;
}

const PAGE = 100;
const key = (project: string, id: string) => ['project', project, 'survey', id];
const within = (project: string, id: string) => ({ path: { project_id: project, id } });

/** `search`: text. `is`: the state; without it all that are not archived. */
export interface SurveyFilter {
  search?: string;
  is?: SurveyState;
}

/** Surveys, the newest first, in pages of 100. */
export const surveysQuery = (project: string, { search, is }: SurveyFilter) =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'surveys', { search, is }],
    queryFn: ({ signal, pageParam }) => {
      const archived = is === 'archived';
      const status = is && !archived ? { status: is } : {};
      const query = { limit: PAGE, offset: pageParam, archived, ...status, ...(search && { search }) };
      return unwrap(
        api.GET('/api/environments/{project_id}/surveys/', {
          params: { path: { project_id: project }, query },
          signal,
        }),
      );
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }, _pages, offset) => (next ? offset + PAGE : undefined),
  });

export const surveyQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: key(project, id),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/surveys/{id}/', { params: within(project, id), signal })),
  });

/** How often a survey was shown, answered and dismissed. */
export const surveyStatsQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: [...key(project, id), 'stats'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/surveys/{id}/stats/', { params: within(project, id) as never, signal })),
  });

/** How often each survey was answered, by its UUID. */
export const surveyAnswersQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'surveys', 'answers'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/surveys/responses_count/', {
          params: { path: { project_id: project } } as never,
          signal,
        }),
      ) as Promise<Record<string, number>>,
  });

/** How often each survey was shown, by its UUID. */
export const surveysShownQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'surveys', 'shown'],
    queryFn: async ({ signal }): Promise<Record<string, number>> => {
      const query =
        "select properties.$survey_id as survey, count() from events where event = 'survey shown' group by survey limit 10000";
      const { results } = await ask(project, { kind: 'HogQLQuery', query }, 'blocking', signal);
      return Object.fromEntries((results as [string | null, number][]).map(([id, count]) => [id ?? '', count]));
    },
  });

export const createSurvey = (project: string, fields: SurveyFields) =>
  unwrap(
    api.POST('/api/environments/{project_id}/surveys/', { params: { path: { project_id: project } }, body: fields as never }),
  );

export const updateSurvey = (project: string, id: string, fields: SurveyFields) =>
  unwrap(api.PATCH('/api/environments/{project_id}/surveys/{id}/', { params: within(project, id), body: fields as never }));

export const deleteSurvey = (project: string, id: string) =>
  unwrap(api.DELETE('/api/environments/{project_id}/surveys/{id}/', { params: within(project, id) }));

/** Puts a changed survey where it is shown, and makes the lists load anew. */
export async function noteSurvey(queries: QueryClient, project: string, survey: Survey): Promise<void> {
  queries.setQueryData(key(project, survey.id), survey);
  await queries.invalidateQueries({ queryKey: ['project', project, 'surveys'] });
}

export type SurveyState = 'draft' | 'scheduled' | 'running' | 'ended' | 'archived';

/** @param now epoch milliseconds */
export function stateOf({ start_date: start, end_date: end, archived }: Survey, now: number): SurveyState {
  if (archived) return 'archived';
  if (start === null) return 'draft';
  if (end !== null && Date.parse(end) <= now) return 'ended';
  return Date.parse(start) > now ? 'scheduled' : 'running';
}

export const SURVEY_STATE_TEXTS: Record<SurveyState, string> = {
  draft: 'Draft',
  scheduled: 'Scheduled',
  running: 'Running',
  ended: 'Ended',
  archived: 'Archived',
};
export const SURVEY_STATE_KINDS = {
  draft: 'neutral',
  scheduled: 'accent',
  running: 'good',
  ended: 'neutral',
  archived: 'neutral',
} as const;

/** One submission of a survey. */
export interface Submission {
  uuid: string;
  personId: string | null;
  /** E-mail or name of the person, or the id by which they were captured. */
  person: string;
  timestamp: string;
  isComplete: boolean;
  /** By the id of the question: one text, or several of a multiple choice; absent: no answer. */
  answers: Record<string, string[]>;
}

/** Submissions that are read at most: the latest. */
export const MAX_SUBMISSIONS = 10_000;

/** The answers to a survey, the latest first; of answers that were sent in parts the last part. */
export const submissionsQuery = (project: string, { id, questions }: Pick<Survey, 'id' | 'questions'>) =>
  queryOptions({
    queryKey: [...key(project, id), 'submissions', questions.map((one) => one.id)],
    queryFn: async ({ signal }): Promise<Submission[]> => {
      const columns = questions.map((question) => `properties.${nameInSql(`$survey_response_${question.id}`)}`);
      const own = [
        'uuid',
        'person_id',
        'distinct_id',
        'timestamp',
        'properties.$survey_submission_id',
        'properties.$survey_completed',
        'person.properties.email',
        'person.properties.name',
        ...columns,
      ];
      const query = `select ${own.join(', ')} from events where event = 'survey sent' and properties.$survey_id = {survey} order by timestamp desc limit ${MAX_SUBMISSIONS}`;
      const { results } = await ask(project, { kind: 'HogQLQuery', query, values: { survey: id } }, 'blocking', signal);
      const seen = new Set<string>();
      return (results as (string | null)[][]).flatMap((row) => {
        const [uuid, personId, distinctId, timestamp, submission, completed, email, name, ...answers] = row;
        if (submission && seen.has(submission)) return [];
        if (submission) seen.add(submission);
        return [
          {
            uuid: uuid ?? '',
            personId: personId ?? null,
            person: email || name || distinctId || '',
            timestamp: timestamp ?? '',
            isComplete: completed !== 'false',
            answers: Object.fromEntries(
              questions.flatMap((question, index) => {
                const given = textsOf(answers[index] ?? null);
                return given.length > 0 ? [[question.id, given]] : [];
              }),
            ),
          },
        ];
      });
    },
  });

/** The texts of a stored answer: several of a list. */
function textsOf(stored: string | null): string[] {
  if (stored === null || stored === '') return [];
  if (!stored.startsWith('[')) return [stored];
  try {
    const list: unknown = JSON.parse(stored);
    return Array.isArray(list) ? list.map(String) : [stored];
  } catch {
    return [stored];
  }
}
