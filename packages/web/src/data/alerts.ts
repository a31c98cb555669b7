import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { toast } from '../ui/toast.js';
import { api, type Schemas, unwrap } from './api.js';

export type Alert = Schemas['Alert'];
export type AlertCheck = Schemas['AlertCheck'];

const PAGE = 100;
/** Milliseconds until what is shown of alerts is asked for again; less while news are expected. */
const POLL_MS = 30_000;
const SOON_MS = 1_000;
/** For how long news are expected after a change or a check. */
const RECENT_MS = 20_000;

const pathOf = (project: string) => ({ project_id: project });
const isRecent = (at: string): boolean => Date.now() - Date.parse(at) < RECENT_MS;

/** Whether a check of an alert, or the call of its webhook, is about to end: an alert that was saved is checked at once. */
function isChecking({ enabled, state, last_checked_at: checked, updated_at: saved, checks: [last] }: Alert): boolean {
  if (last?.webhook === 'waiting' && isRecent(last.created_at)) return true;
  return enabled && state !== 'Snoozed' && isRecent(saved) && (checked === null || Date.parse(checked) < Date.parse(saved));
}

/** Alerts of the project, firing ones first, in pages of 100. */
export const alertListQuery = (project: string, search: string) =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'alerts', { search }],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/alerts/', {
          params: { path: pathOf(project), query: { limit: PAGE, offset: pageParam, ...(search && { search }) } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }, _pages, offset) => (next ? offset + PAGE : undefined),
    refetchInterval: POLL_MS,
  });

/** The alerts of an insight. */
export const alertsOfInsightQuery = (project: string, insight: number) =>
  queryOptions({
    queryKey: ['project', project, 'alerts', { insight }],
    queryFn: async ({ signal }) => {
      const page = await unwrap(
        api.GET('/api/environments/{project_id}/alerts/', {
          params: { path: pathOf(project), query: { insight_id: insight, limit: 1_000 } },
          signal,
        }),
      );
      return page.results;
    },
    refetchInterval: ({ state }) => (state.data?.some(isChecking) ? SOON_MS : POLL_MS),
  });

/** One alert with its last checks. */
export const alertQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: ['project', project, 'alerts', id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/alerts/{id}/', { params: { path: { ...pathOf(project), id } }, signal })),
    refetchInterval: ({ state }) => (state.data && isChecking(state.data) ? SOON_MS : POLL_MS),
  });

/** Alerts that fire or fail, of those that the person is subscribed to. */
export const ownFiringAlertsQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'alerts', { of: 'home' }],
    queryFn: async ({ signal }) => {
      const page = await unwrap(
        api.GET('/api/environments/{project_id}/alerts/', {
          params: { path: pathOf(project), query: { state: ['Firing', 'Errored'], subscribed: true, limit: 20 } },
          signal,
        }),
      );
      return page.results;
    },
    refetchInterval: POLL_MS,
  });

/** What a request sets of an alert. */
export interface AlertFields {
  name: string;
  calculation_interval: Alert['calculation_interval'];
  condition: Alert['condition'];
  threshold: Alert['threshold'];
  config: Alert['config'];
  subscribed_users: number[];
  webhook_url: string | null;
}

export const createAlert = (project: string, insight: number, fields: AlertFields) =>
  unwrap(
    api.POST('/api/environments/{project_id}/alerts/', {
      params: { path: pathOf(project) },
      body: { ...fields, insight } as never,
    }),
  );

export const updateAlert = (
  project: string,
  id: string,
  fields: Partial<AlertFields> & { enabled?: boolean; snoozed_until?: string | null; deleted?: boolean },
) =>
  unwrap(
    api.PATCH('/api/environments/{project_id}/alerts/{id}/', {
      params: { path: { ...pathOf(project), id } },
      body: fields as never,
    }),
  );

/** Calls the webhook of an alert with a test. */
export const testAlertWebhook = (project: string, id: string) =>
  unwrap(api.POST('/api/environments/{project_id}/alerts/{id}/test/', { params: { path: { ...pathOf(project), id } } }));

/** Makes everything that shows alerts load anew. */
export const refreshAlerts = (queries: QueryClient, project: string): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['project', project, 'alerts'] });

/** Deletes an alert. A toast offers to undo it. */
export async function deleteAlert(queries: QueryClient, project: string, { id, name }: Alert): Promise<void> {
  const refresh = () => refreshAlerts(queries, project);
  await updateAlert(project, id, { deleted: true });
  // its own panel may still be open, and would find it no more
  await queries.invalidateQueries({
    queryKey: ['project', project, 'alerts'],
    predicate: ({ queryKey }) => queryKey[3] !== id,
  });
  const restore = () =>
    updateAlert(project, id, { deleted: false }).then(refresh, ({ message }: Error) => toast(`It stays deleted: ${message}`));
  toast(`The alert "${name}" is deleted.`, { label: 'Undo', onPress: () => void restore() });
}
