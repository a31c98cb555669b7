import { accessOf } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { duplicateExperiment } from './create.js';
import { findEditable, findExperiment, findWithFlag, type ItemContext } from './find-experiment.js';
import { experimentSchema } from './response.js';
import type { ExperimentRow } from './row.js';
import { duplicateSchema, endSchema, experimentParams, shipSchema } from './schema.js';
import { end, launch, pause, reset, resume, shipVariant } from './stages.js';
import { experimentView } from './view.js';

const common = { method: 'POST', params: experimentParams, scope: 'experiment:write', response: experimentSchema } as const;

/** A step in the life of an experiment that needs nothing said. */
const step = (
  name: string,
  summary: string,
  load: typeof findEditable,
  take: (context: ProjectContext, id: number) => Promise<ExperimentRow>,
) =>
  projectRoute({
    ...common,
    path: `/experiments/:id/${name}/`,
    summary,
    status: 200,
    errors: [400],
    load,
    handle: async ({ loaded: { row, access }, ...context }) => experimentView(context, access, await take(context, row.id)),
  });

/** Below `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const actionRoutes = [
  step('launch', 'Start an experiment; its flag is switched on', findEditable, launch),
  step('pause', 'Pause an experiment: its flag is switched off', findWithFlag, pause),
  step('resume', 'Resume a paused experiment', findWithFlag, resume),
  step('reset', 'Make an experiment a draft again; its flag stays as it is', findEditable, reset),
  projectRoute({
    ...common,
    path: '/experiments/:id/end/',
    summary: 'End an experiment; its flag goes on as it is',
    body: endSchema,
    status: 200,
    load: findEditable,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      experimentView(context, access, await end(context, row.id, body)),
  }),
  projectRoute({
    ...common,
    path: '/experiments/:id/ship_variant/',
    summary: 'Give everybody a variant, and end the experiment if it still runs',
    body: shipSchema,
    status: 200,
    load: findWithFlag,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      experimentView(context, access, await shipVariant(context, row.id, body)),
  }),
  projectRoute({
    ...common,
    path: '/experiments/:id/duplicate/',
    summary: 'Make a draft with the metrics and rules of an experiment',
    body: duplicateSchema,
    status: 201,
    load: findOriginal,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      experimentView(context, access, await duplicateExperiment(context, row, body)),
  }),
];

async function findOriginal(context: ItemContext) {
  const [found, access] = await Promise.all([findExperiment(context), accessOf(context, 'experiment')]);
  access.requireResource('editor');
  return found;
}
