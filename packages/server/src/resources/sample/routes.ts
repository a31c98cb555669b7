import { z } from 'zod';
import { requireResourceLevel } from '../../access/index.js';
import { projectRoute } from '../../auth/index.js';
import { timeSchema } from '../../http/dates.js';
import { ApiError } from '../../kernel/errors.js';
import { loadSample, removeSample, sampleView } from './sample.js';

const sampleSchema = z
  .object({
    state: z
      .enum(['none', 'loading', 'loaded', 'removing', 'failed'])
      .describe('`none`: the project has no sample data. `failed`: remove it, and try again.'),
    done: z.int().describe('Events stored so far.'),
    total: z.int().describe('Events in all; 0 until they are known.'),
    error: z.string().nullable().describe('Why it failed.'),
    dashboard_id: z.int().nullable().describe('The dashboard that was made with it.'),
    created_at: timeSchema('When it was requested; its last events are of that time.').nullable(),
  })
  .meta({ id: 'SampleData', description: 'Data of an invented shop, to try things with.' });

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const sampleRoutes = (wake: () => void) => [
  projectRoute({
    method: 'GET',
    path: '/sample_data/',
    scope: 'project:read',
    summary: 'Retrieve the state of the sample data',
    status: 200,
    response: sampleSchema,
    handle: ({ deps, project }) => sampleView(deps.db, project.id),
  }),
  projectRoute({
    method: 'POST',
    path: '/sample_data/',
    scope: 'project:write',
    summary: 'Load sample data',
    description:
      'Stores 60 days of an invented shop in the background: about 50,000 events of a few thousand people, with companies, two flags, an experiment, a survey, insights and a dashboard. All events have the property `$sample`.',
    status: 202,
    response: sampleSchema,
    errors: [400],
    load: requireResourceLevel('project_settings', 'editor'),
    handle: async ({ deps, project, principal }) => {
      const owner = { userId: principal.userId, keyId: principal.key?.id ?? null };
      if (!(await loadSample(deps, project.id, owner))) {
        throw new ApiError('invalid_input', 'The project has sample data already. Remove it first.');
      }
      wake();
      return sampleView(deps.db, project.id);
    },
  }),
  projectRoute({
    method: 'DELETE',
    path: '/sample_data/',
    scope: 'project:write',
    summary: 'Remove sample data, with all that was made with it',
    status: 202,
    response: sampleSchema,
    load: requireResourceLevel('project_settings', 'editor'),
    handle: async ({ deps, project }) => {
      await removeSample(deps, project.id);
      wake();
      return sampleView(deps.db, project.id);
    },
  }),
];
