import { accessOf, type ItemContext, requireResourceLevel } from '../../access/index.js';
import { type ProjectContext, projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { disconnectSignal } from '../results/index.js';
import { findEditable, findForUpdate, findVisible, findWithFlag } from './access.js';
import { createExperiment, duplicateExperiment } from './create.js';
import { resultsOf } from './results.js';
import { resultsQuery, resultsSchema, runningTimeSchema } from './results-schema.js';
import { estimatePlan, planSchema } from './running-time.js';
import {
  createSchema,
  duplicateSchema,
  endSchema,
  experimentPage,
  experimentParams,
  experimentSchema,
  type ListQuery,
  listQuery,
  shipSchema,
  updateSchema,
} from './schema.js';
import { end, launch, pause, reset, resume, shipVariant } from './stages.js';
import { type ExperimentRow, listExperiments } from './store.js';
import { patchExperiment } from './update.js';
import { experimentView, experimentViews } from './view.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const experimentRoutes = [
  projectRoute({
    method: 'GET',
    path: '/experiments/',
    scope: 'experiment:read',
    summary: 'List experiments, newest first',
    query: listQuery,
    status: 200,
    response: experimentPage,
    handle: list,
  }),
  projectRoute({
    method: 'POST',
    path: '/experiments/',
    scope: 'experiment:write',
    summary: 'Create an experiment on a flag with variants, or with a new flag',
    description:
      'A new flag has the variants of `parameters.feature_flag_variants`, or `control` and `test`, and is off until the start.',
    body: createSchema,
    status: 201,
    response: experimentSchema,
    load: requireResourceLevel('experiment', 'editor'),
    handle: async ({ body, loaded: access, ...context }) =>
      experimentView(context, access, await createExperiment(context, body)),
  }),
  projectRoute({
    method: 'GET',
    path: '/experiments/:id/',
    params: experimentParams,
    scope: 'experiment:read',
    summary: 'Retrieve an experiment',
    status: 200,
    response: experimentSchema,
    load: findVisible,
    handle: async ({ loaded: { row, access }, ...context }) => experimentView(context, access, row),
  }),
  ...projectUpdateRoutes({
    path: '/experiments/:id/',
    params: experimentParams,
    scope: 'experiment:write',
    summary: {
      PATCH: 'Change, archive, delete (`deleted: true`) or restore (`deleted: false`) an experiment',
      PUT: 'Change an experiment; fields that are left out stay',
    },
    body: updateSchema,
    status: 200,
    response: experimentSchema,
    errors: [409],
    load: findForUpdate,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      experimentView(context, access, await patchExperiment(context, row.id, body)),
  }),
];

async function list({ query, ...context }: ProjectContext & { query: ListQuery }) {
  const { deps, request, project, principal } = context;
  const access = await accessOf(context, 'experiment');
  access.requireResource('viewer');
  const page = readPage(request);
  const reader = { userId: principal.userId, hidden: access.hiddenIds };
  const { status, archived, created_by_id: createdBy, ...rest } = query;
  const filter = {
    ...rest,
    status: status || undefined,
    archived: archived === '' ? undefined : archived,
    created_by: createdBy,
  };
  const { count, rows } = await listExperiments(deps.db, project.id, reader, filter, page);
  return envelope(request, page, count, await experimentViews(context, access, rows));
}

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

/** Routes that change the stage of an experiment. */
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

/** Routes of the results and the running time of experiments. */
export const resultsRoutes = [
  projectRoute({
    method: 'GET',
    path: '/experiments/:id/results/',
    params: experimentParams,
    scope: 'experiment:read',
    summary: 'Compute the results of an experiment',
    description:
      'Persons count by their first exposure between start and end. A metric that cannot be computed has an `error`; the others still have results.',
    query: resultsQuery,
    status: 200,
    response: resultsSchema,
    load: findVisible,
    handle: ({ query, loaded: { row }, ...context }) =>
      resultsOf(context, row, query.metric || undefined, disconnectSignal(context.reply.raw)),
  }),
  projectRoute({
    method: 'POST',
    path: '/experiments/running_time/',
    scope: 'experiment:read',
    summary: 'Estimate how many persons and days an experiment would take',
    body: planSchema,
    status: 200,
    response: runningTimeSchema,
    handle: async ({ body }) => estimatePlan(body),
  }),
];
