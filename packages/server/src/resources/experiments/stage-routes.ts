import { accessOf, type ItemContext } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { findEditable, findVisible, findWithFlag } from './access.js';
import { duplicateExperiment } from './create.js';
import { duplicateSchema, endSchema, experimentParams, experimentSchema, shipSchema } from './schema.js';
import { end, launch, pause, reset, resume, shipVariant } from './stages.js';
import type { ExperimentRow } from './store.js';
import { experimentView } from './view.js';

const common = { method: 'POST', params: experimentParams, scope: 'experiment:write', response: experimentSchema } as const;

/** The route of a change of stage that has no body. */
const stageRoute = (
  name: string,
  summary: string,
  load: typeof findEditable,
  change: (context: ProjectContext, id: number) => Promise<ExperimentRow>,
) =>
  projectRoute({
    ...common,
    path: `/experiments/:id/${name}/`,
    summary,
    status: 200,
    errors: [400],
    load,
    handle: async ({ loaded: { row, access }, ...context }) => experimentView(context, access, await change(context, row.id)),
  });

/** Routes that change the stage of an experiment, under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const stageRoutes = [
  stageRoute('launch', 'Start an experiment; its flag is switched on', findEditable, launch),
  stageRoute('pause', 'Pause an experiment: its flag is switched off', findWithFlag, pause),
  stageRoute('resume', 'Resume a paused experiment', findWithFlag, resume),
  stageRoute('reset', 'Make an experiment a draft again; its flag does not change', findEditable, reset),
  projectRoute({
    ...common,
    path: '/experiments/:id/end/',
    summary: 'End an experiment; its flag does not change',
    body: endSchema,
    status: 200,
    load: findEditable,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      experimentView(context, access, await end(context, row.id, body)),
  }),
  projectRoute({
    ...common,
    path: '/experiments/:id/ship_variant/',
    summary: 'Give everybody a variant, and end the experiment if it is running',
    body: shipSchema,
    status: 200,
    load: findWithFlag,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      experimentView(context, access, await shipVariant(context, row.id, body)),
  }),
  projectRoute({
    ...common,
    path: '/experiments/:id/duplicate/',
    summary: 'Create a draft with the metrics and rules of an experiment',
    body: duplicateSchema,
    status: 201,
    load: findOriginal,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      experimentView(context, access, await duplicateExperiment(context, row, body)),
  }),
];

async function findOriginal(context: ItemContext) {
  const [found, access] = await Promise.all([findVisible(context), accessOf(context, 'experiment')]);
  access.requireResource('editor');
  return found;
}
