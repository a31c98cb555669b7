import { z } from 'zod';
import { accessOf } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { dateTime, nullable, optional } from '../../http/fields.js';
import { findVisible } from './access.js';
import { countAnswers, countSurveyEvents, type EventCount, SURVEY_EVENTS, type SurveyEvent } from './answers-store.js';
import { surveyParams } from './schema.js';
import { listUuids } from './store.js';

const spanQuery = z.object({
  date_from: optional(nullable(dateTime())).describe('Only events at this time or later.'),
  date_to: optional(nullable(dateTime())).describe('Only events before this time.'),
});

const count = z.object({
  total_count: z.int().describe('How often the event happened.'),
  total_count_only_seen: z.int().describe('Of `survey shown`: how often to people who neither answered nor dismissed.'),
  unique_persons: z.int().describe('How many people it happened to.'),
  unique_persons_only_seen: z.int().describe('Of `survey shown`: how many of them neither answered nor dismissed.'),
  first_seen: z.string().nullable().describe('When the event happened first.').meta({ format: 'date-time' }),
  last_seen: z.string().nullable().describe('When the event happened last.').meta({ format: 'date-time' }),
});

const percent = (description: string) => z.number().describe(`${description}, as a percentage of those shown.`);

const statsSchema = z
  .object({
    stats: z
      .object({
        'survey shown': count.describe('Surveys that were shown.'),
        'survey dismissed': count.describe('Surveys that people closed without an answer.'),
        'survey sent': count.describe('Answers.'),
      })
      .describe('What happened, by event.'),
    rates: z
      .object({
        response_rate: percent('Answers'),
        dismissal_rate: percent('Dismissals'),
        unique_users_response_rate: percent('People who answered'),
        unique_users_dismissal_rate: percent('People who dismissed'),
      })
      .describe('Shares, with two digits; 0 where nothing was shown.'),
  })
  .meta({ id: 'SurveyStats', description: 'What happened with surveys.' });

const statsOfOne = statsSchema
  .extend({
    survey_id: z.uuid().describe('The survey.'),
    start_date: z.string().nullable().describe('When it starts.').meta({ format: 'date-time' }),
    end_date: z.string().nullable().describe('When it ends.').meta({ format: 'date-time' }),
  })
  .meta({ id: 'StatsOfSurvey', description: 'What happened with a survey.' });

const span = ({ date_from: from, date_to: to }: z.output<typeof spanQuery>) => ({ from: from ?? null, to: to ?? null });

/** Routes for the numbers of surveys. They come before the routes of one survey, because `stats` is no id. */
export const statsRoutes = [
  projectRoute({
    method: 'GET',
    path: '/surveys/stats/',
    scope: 'survey:read',
    summary: 'Count how often surveys were shown, answered and dismissed',
    query: spanQuery,
    status: 200,
    response: statsSchema,
    load: requireSurveys,
    handle: async ({ deps, project, query, loaded: reader }) =>
      statsView(await countSurveyEvents(deps.events, project.id, await listUuids(deps.db, project.id, reader), span(query))),
  }),
  projectRoute({
    method: 'GET',
    path: '/surveys/responses_count/',
    scope: 'survey:read',
    summary: 'Count the answers to each survey',
    query: spanQuery,
    status: 200,
    response: z.record(z.string(), z.int()).meta({ id: 'SurveyAnswers', description: 'Answers by UUID of the survey.' }),
    load: requireSurveys,
    handle: async ({ deps, project, query, loaded: reader }) => {
      const uuids = await listUuids(deps.db, project.id, reader);
      return Object.fromEntries(await countAnswers(deps.events, project.id, uuids, span(query)));
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/surveys/:id/stats/',
    params: surveyParams,
    scope: 'survey:read',
    summary: 'Count how often a survey was shown, answered and dismissed',
    query: spanQuery,
    status: 200,
    response: statsOfOne,
    load: findVisible,
    handle: async ({ deps, project, query, loaded: { row } }) => ({
      survey_id: row.uuid,
      start_date: row.start_date?.toISOString() ?? null,
      end_date: row.end_date?.toISOString() ?? null,
      ...statsView(await countSurveyEvents(deps.events, project.id, [row.uuid], span(query))),
    }),
  }),
];

/** Requires a caller who may see surveys; resolves to which surveys the access rules hide from them. @throws ApiError permission_denied */
async function requireSurveys(context: ProjectContext) {
  const access = await accessOf(context, 'survey');
  access.requireResource('viewer');
  return { userId: context.principal.userId, hidden: access.hiddenIds };
}

const NOTHING = {
  total_count: 0,
  total_count_only_seen: 0,
  unique_persons: 0,
  unique_persons_only_seen: 0,
  first_seen: null,
  last_seen: null,
};

function statsView(counts: readonly EventCount[]) {
  const of = (event: SurveyEvent) => {
    const found = counts.find((one) => one.event === event);
    if (!found) return NOTHING;
    const { event: _, ...rest } = found;
    return event === 'survey shown' ? rest : { ...rest, total_count_only_seen: 0, unique_persons_only_seen: 0 };
  };
  const [seen, dismissed, sent] = SURVEY_EVENTS.map(of);
  const rate = (part: number | undefined, whole: number | undefined) =>
    whole ? Math.round((10_000 * (part ?? 0)) / whole) / 100 : 0;
  return {
    stats: { 'survey shown': seen, 'survey dismissed': dismissed, 'survey sent': sent },
    rates: {
      response_rate: rate(sent?.total_count, seen?.total_count),
      dismissal_rate: rate(dismissed?.total_count, seen?.total_count),
      unique_users_response_rate: rate(sent?.unique_persons, seen?.unique_persons),
      unique_users_dismissal_rate: rate(dismissed?.unique_persons, seen?.unique_persons),
    },
  };
}
