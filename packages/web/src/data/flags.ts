import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { toast } from '../ui/toast.js';
import { api, type Schemas, unwrap } from './api.js';

export type Flag = Schemas['FeatureFlag'];
export type FlagType = 'boolean' | 'multivariant' | 'experiment' | 'remote_config';
export type FlagState = 'on' | 'off' | 'stale';

/** Which flags a list has. */
export interface FlagFilter {
  /** Part of the key, the description or the name of an experiment. */
  search?: string;
  state?: FlagState;
  type?: FlagType;
  tag?: string;
}

/** Fields of a flag that a request may set. */
export interface FlagFields {
  key?: string;
  name?: string;
  filters?: Record<string, unknown>;
  active?: boolean;
  deleted?: boolean;
  tags?: string[];
  ensure_experience_continuity?: boolean;
  bucketing_identifier?: 'distinct_id' | 'device_id';
  evaluation_runtime?: 'all' | 'client' | 'server';
  evaluation_contexts?: string[];
  is_remote_configuration?: boolean;
  /** The version that the change starts from: the change is a 409 if the flag has another by now. */
  version?: number;
}

const PAGE = 500;
const ACTIVE: Record<FlagState, string> = { on: 'true', off: 'false', stale: 'STALE' };

/** Flags, the newest first, in pages of 500. */
export const flagsQuery = (project: string, { search, state, type, tag }: FlagFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'flags', { search, state, type, tag }],
    queryFn: ({ signal, pageParam }) => {
      const query = {
        limit: PAGE,
        offset: pageParam,
        ...(search && { search }),
        ...(state && { active: ACTIVE[state] }),
        ...(type && { type }),
        ...(tag && { tags: [tag] }),
      };
      return unwrap(
        api.GET('/api/environments/{project_id}/feature_flags/', { params: { path: { project_id: project }, query }, signal }),
      );
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }, _pages, offset) => (next ? offset + PAGE : undefined),
  });

/** Whether one of the hundred newest flags is no sample data. */
export const ownFlagQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'own-flag'],
    queryFn: async ({ signal }) => {
      const params = { path: { project_id: project }, query: { limit: 100 } };
      const { results } = await unwrap(api.GET('/api/environments/{project_id}/feature_flags/', { params, signal }));
      return results.some(({ tags }) => !tags.includes('sample'));
    },
  });

const within = (project: string, id: number | string) => ({ path: { project_id: project, id: String(id) } });
const flagKey = (project: string, id: number | string) => ['project', project, 'flag', Number(id)];

export const flagQuery = (project: string, id: number) =>
  queryOptions({
    queryKey: flagKey(project, id),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/feature_flags/{id}/', { params: within(project, id), signal })),
  });

/** Why a flag is stale or is not, in a sentence. */
export const flagStatusQuery = (project: string, { id, version }: Pick<Flag, 'id' | 'version'>) =>
  queryOptions({
    queryKey: [...flagKey(project, id), 'status', version],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/feature_flags/{id}/status/', { params: within(project, id), signal })),
    staleTime: 60_000,
  });

/** The flags whose conditions require a value of this one. */
export const dependentFlagsQuery = (project: string, id: number) =>
  queryOptions({
    queryKey: [...flagKey(project, id), 'dependent'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/feature_flags/{id}/dependent_flags/', { params: within(project, id), signal }),
      ),
  });

export const createFlag = (project: string, fields: FlagFields & { key: string }) =>
  unwrap(api.POST('/api/environments/{project_id}/feature_flags/', { params: { path: { project_id: project } }, body: fields }));

export const updateFlag = (project: string, id: number, fields: FlagFields) =>
  unwrap(api.PATCH('/api/environments/{project_id}/feature_flags/{id}/', { params: within(project, id), body: fields }));

/** Puts a changed flag where it is shown, and makes the lists load anew. */
export async function noteFlag(queries: QueryClient, project: string, flag: Flag): Promise<void> {
  queries.setQueryData(flagKey(project, flag.id), flag);
  await queries.invalidateQueries({ queryKey: ['project', project, 'flags'] });
  // versions, the status and who depends on it
  await queries.invalidateQueries({ queryKey: flagKey(project, flag.id), predicate: ({ queryKey }) => queryKey.length > 4 });
}

type Pages = InfiniteData<{ results: Flag[] }>;

/** Shows in all lists and on its screen what a flag will be when the request has succeeded. */
function showFlag(queries: QueryClient, project: string, id: number, change: Partial<Flag>): void {
  queries.setQueriesData<Pages>(
    { queryKey: ['project', project, 'flags'] },
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({
          ...page,
          results: page.results.map((flag) => (flag.id === id ? { ...flag, ...change } : flag)),
        })),
      },
  );
  queries.setQueryData<Flag>(flagKey(project, id), (flag) => flag && { ...flag, ...change });
}

/** Switches flags at once. A toast offers to undo it. `onSwitched` gets the flag as it is then. */
export function useFlagSwitch(project: string, onSwitched?: (flag: Flag) => void) {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: ({ flag, active }: { flag: Flag; active: boolean; isUndo: boolean }) => updateFlag(project, flag.id, { active }),
    onMutate: async ({ flag, active }) => {
      await queries.cancelQueries({ queryKey: ['project', project, 'flags'] });
      showFlag(queries, project, flag.id, { active });
    },
    onSuccess: (changed, { flag, active, isUndo }) => {
      showFlag(queries, project, flag.id, changed);
      onSwitched?.(changed);
      void queries.invalidateQueries({ queryKey: [...flagKey(project, flag.id), 'versions'] });
      if (isUndo) return;
      const text = active ? `${flag.key} is on` : `${flag.key} is off for everybody`;
      toast(text, { label: 'Undo', onPress: () => mutation.mutate({ flag, active: !active, isUndo: true }) });
    },
    onError: (error, { flag, active }) => {
      showFlag(queries, project, flag.id, { active: !active });
      toast(`${flag.key} stays ${active ? 'off' : 'on'}: ${error.message}`);
    },
  });
  return (flag: Flag, active: boolean) => mutation.mutate({ flag, active, isUndo: false });
}

/** Deletes a flag. A toast offers to undo it. */
export async function deleteFlag(queries: QueryClient, project: string, { id, key }: Flag): Promise<void> {
  await updateFlag(project, id, { deleted: true });
  const refresh = () => queries.invalidateQueries({ queryKey: ['project', project, 'flags'] });
  queries.removeQueries({ queryKey: flagKey(project, id) });
  await refresh();
  const restore = () =>
    updateFlag(project, id, { deleted: false }).then(refresh, ({ message }: Error) => toast(`${key} stays deleted: ${message}`));
  toast(`${key} is deleted. Code gets no value for it.`, { label: 'Undo', onPress: () => void restore() });
}
