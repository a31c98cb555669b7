import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './api.js';

/** The kinds of objects that are found by a word, in the order of the results. `resource`: what access levels are about. */
export const FOUND_KINDS = ['dashboard', 'insight', 'feature_flag', 'experiment', 'survey', 'cohort', 'person'] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];

export interface Found {
  kind: FoundKind;
  name: string;
  /** Below the project. */
  path: string;
}

/** Objects of a kind in the results. */
const OF_EACH = 4;

interface Listed {
  id: string | number;
  uuid?: string;
  short_id?: string;
  key?: string;
  name?: string | null;
  derived_name?: string | null;
}

const PLACES: Record<FoundKind, { list: string; name: (one: Listed) => string; path: (one: Listed) => string }> = {
  dashboard: { list: 'dashboards', name: named, path: ({ id }) => `/dashboards/${id}` },
  insight: { list: 'insights', name: (one) => named(one) || one.derived_name || '', path: (one) => `/insights/${one.short_id}` },
  feature_flag: { list: 'feature_flags', name: ({ key = '' }) => key, path: ({ id }) => `/flags/${id}` },
  experiment: { list: 'experiments', name: named, path: ({ id }) => `/experiments/${id}` },
  survey: { list: 'surveys', name: named, path: ({ id }) => `/surveys/${id}` },
  cohort: { list: 'cohorts', name: named, path: ({ id }) => `/cohorts/${id}` },
  person: { list: 'persons', name: named, path: ({ uuid }) => `/persons/${uuid}` },
};

function named({ name }: Listed): string {
  return name ?? '';
}

/** The first objects of each kind that match a text. One that cannot be asked for has no results. @param kinds those that the person may see */
export const findQuery = (project: string, text: string, kinds: readonly FoundKind[]) =>
  queryOptions({
    queryKey: ['project', project, 'found', text, kinds],
    queryFn: async ({ signal }) => {
      const lists = await Promise.allSettled(kinds.map((kind) => findOfKind(project, text, kind, signal)));
      return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
    },
    enabled: text !== '' && kinds.length > 0,
  });

async function findOfKind(project: string, text: string, kind: FoundKind, signal: AbortSignal): Promise<Found[]> {
  const { list, name, path } = PLACES[kind];
  const query = { search: text, limit: OF_EACH, ...(kind === 'insight' && { saved: true, basic: true }) };
  const page = (await unwrap(
    api.GET(`/api/environments/{project_id}/${list}/` as '/api/environments/{project_id}/dashboards/', {
      params: { path: { project_id: project }, query: query as never },
      signal,
    }),
  )) as unknown as { results: Listed[] };
  return page.results.map((one) => ({ kind, name: name(one) || 'Untitled', path: path(one) }));
}
