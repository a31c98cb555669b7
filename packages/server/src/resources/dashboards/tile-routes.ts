import { Readable } from 'node:stream';
import { accessOf } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { type FoundDashboard, findDashboard, requireEditable } from './find-dashboard.js';
import { moveToDashboard } from './move.js';
import { retrieveQuery } from './query-schema.js';
import { dashboardParams, dashboardSchema } from './response-schema.js';
import { loadShown } from './retrieve.js';
import { moveSchema } from './schema.js';
import { showDashboard } from './show.js';
import { tileMessages } from './stream.js';

type Context = ProjectContext & { params: Record<string, string> };

const loadVisible = (context: Context): Promise<FoundDashboard> => findDashboard(context, context.params['id'] ?? '');

async function loadEditable(context: Context): Promise<FoundDashboard> {
  const found = await loadVisible(context);
  requireEditable(context, found);
  return found;
}

export const tileRoutes = [
  projectRoute({
    method: 'PATCH',
    path: '/dashboards/:id/move_tile/',
    scope: 'session',
    summary: 'Move a tile to another dashboard; answers with the one that it was on',
    params: dashboardParams,
    body: moveSchema,
    status: 200,
    response: dashboardSchema,
    errors: [403],
    load: loadEditable,
    handle: async (context) => {
      const { loaded, body } = context;
      const insights = await accessOf(context, 'insight');
      await moveToDashboard(context, loaded, body.tile.id, body.toDashboard, insights);
      return showDashboard(context, loaded, insights);
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/dashboards/:id/stream_tiles/',
    scope: 'session',
    summary: 'Retrieve a dashboard as server-sent events, tile by tile',
    params: dashboardParams,
    query: retrieveQuery,
    status: 200,
    mediaType: 'text/event-stream',
    errors: [403],
    load: loadVisible,
    handle: async (context) => {
      const { reply } = context;
      const { dashboard, tiles } = await loadShown(context, context.loaded, context.query);
      // who reads the stream hears of a failure there
      for (const tile of tiles) tile.catch(() => {});
      reply.header('content-type', 'text/event-stream; charset=utf-8').header('cache-control', 'no-cache');
      return reply.header('x-accel-buffering', 'no').send(Readable.from(tileMessages(dashboard, tiles)));
    },
  }),
];
