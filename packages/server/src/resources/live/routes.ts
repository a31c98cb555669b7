import { type RecentFilter, readEventFilters } from '../../analytics/index.js';
import { authenticate, openProject, type ProjectContext, projectRoute, requireScope } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import { createEventStream, type EndReason } from './event-stream.js';
import { activitySchema, type LiveQuery, liveQuery } from './schema.js';

const SCOPE = 'query:read';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const liveRoutes = [
  projectRoute({
    method: 'GET',
    path: '/live/',
    scope: SCOPE,
    summary: 'Stream events as they are stored',
    description:
      'Server-sent events, from now on: `event` (an event), `left_out` (`count` of events that were not sent: more than 50 in a second, or the reader was too slow), `activity` (as `live/activity/`, every five seconds) and `end` (`reason`: `access_ended`, `stopping` or `unavailable`). A comment every 15 seconds keeps the connection open. At most 20 streams of a project. An event whose time is more than a day ago is not sent.',
    query: liveQuery,
    status: 200,
    mediaType: 'text/event-stream',
    errors: [429],
    handle: openStream,
  }),
  projectRoute({
    method: 'GET',
    path: '/live/activity/',
    scope: SCOPE,
    summary: 'Count the people and events of the last half hour',
    status: 200,
    response: activitySchema,
    handle: ({ deps, project }) => deps.services.live.activity(project.id),
  }),
];

const filterOf = ({ event, distinct_id: distinctId, person_id: personId, properties }: LiveQuery): RecentFilter => ({
  event: event || null,
  distinctId: distinctId || null,
  personId: personId || null,
  properties: readEventFilters(properties),
});

async function openStream({ query, ...context }: ProjectContext & { query: LiveQuery }) {
  const { deps, project, reply } = context;
  let stop = () => {};
  const stream = createEventStream(deps.scheduler, () => stop());
  const unsubscribe = deps.services.live.subscribe(project, filterOf(query), stream);
  const stopRechecks = recheckAccess(context, stream.end);
  stop = () => {
    unsubscribe();
    stopRechecks();
  };
  reply.header('content-type', 'text/event-stream; charset=utf-8').header('cache-control', 'no-cache');
  return reply.header('x-accel-buffering', 'no').send(stream.body);
}

const RECHECK_MS = 5_000;
/** Checks that may fail one after the other, because the database does not answer. */
const MAX_FAILURES = 3;

/** Checks again and again whether the caller of a stream is still admitted. @returns stops that */
function recheckAccess(context: ProjectContext, end: (reason: EndReason) => void): () => void {
  let failures = 0;
  let isChecking = false;
  const check = async () => {
    if (isChecking) return;
    isChecking = true;
    try {
      const principal = await authenticate(context);
      requireScope(principal, SCOPE);
      await openProject(context.deps, principal, String(context.project.id));
      failures = 0;
    } catch (error) {
      failures += 1;
      if (error instanceof ApiError && error.status < 500) end('access_ended');
      else if (failures >= MAX_FAILURES) end('unavailable');
    } finally {
      isChecking = false;
    }
  };
  return context.deps.scheduler.every(RECHECK_MS, () => void check());
}
