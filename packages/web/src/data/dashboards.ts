import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { DateRange } from '../address/date-range.js';
import type { Filter } from '../query/question.js';
import { api, type Schemas, unwrap } from './api.js';

export type Dashboard = Schemas['Dashboard'];
export type Tile = Dashboard['tiles'][number];
/** A dashboard as lists have it. */
export type DashboardRow = Awaited<ReturnType<NonNullable<ReturnType<typeof dashboardsQuery>['queryFn']>>>['results'][number];

/** Filters of a dashboard that replace those of its insights. */
export interface DashboardFilters {
  /** Null: each insight has its own dates. */
  range: DateRange | null;
  properties: Filter[];
  /** Values of variables that replace those of the dashboard, by the ids of the variables. */
  variables: Record<string, VariableOverride>;
  /** What the dashboard itself stores: answers to the same question with other stored filters are others. */
  stored: { filters: unknown; variables: unknown };
}

/** A value of a variable, as dashboards and requests have it. */
export interface VariableOverride {
  code_name: string;
  variableId: string;
  value: string | number | boolean | null;
}

/** Whether the person may change a dashboard and how it is shared. */
export const mayEdit = ({ effective_privilege_level: level }: Pick<Dashboard, 'effective_privilege_level'>): boolean =>
  level >= 37;

/** Dashboards in one answer at most. */
const LONGEST_PAGE = 1_000;

/** All dashboards, pinned ones first. @param search part of the name */
export const dashboardsQuery = (project: string, search = '') =>
  queryOptions({
    queryKey: ['project', project, 'dashboards', search],
    queryFn: async ({ signal }) => {
      const read = (offset: number) =>
        unwrap(
          api.GET('/api/environments/{project_id}/dashboards/', {
            params: { path: { project_id: project }, query: { limit: LONGEST_PAGE, offset, ...(search && { search }) } },
            signal,
          }),
        );
      let page = await read(0);
      const { results } = page;
      while (page.next) {
        page = await read(results.length);
        results.push(...page.results);
      }
      return { ...page, results };
    },
  });

/** One dashboard with its tiles, whose results come from the cache or not at all: each tile asks for its own. */
export const dashboardQuery = (project: string, id: number) =>
  queryOptions({
    queryKey: ['project', project, 'dashboard', id],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/dashboards/{id}/', {
          params: { path: { project_id: project, id }, query: { refresh: 'force_cache' } },
          signal,
        }),
      ),
  });

/** The insight of a tile with its result under the filters of the dashboard. */
export const tileQuery = (
  project: string,
  dashboard: number,
  insight: number,
  filters: DashboardFilters,
  refresh: 'blocking' | 'force_blocking' = 'blocking',
) =>
  queryOptions({
    queryKey: ['project', project, 'tile', dashboard, insight, filters],
    queryFn: ({ signal }) => {
      const { range, properties, variables } = filters;
      const override = {
        ...(range && { date_from: range.from, date_to: range.to }),
        ...(properties.length > 0 && { properties }),
      };
      return unwrap(
        api.GET('/api/environments/{project_id}/insights/{id}/', {
          params: {
            path: { project_id: project, id: insight },
            query: {
              refresh,
              from_dashboard: dashboard,
              ...(Object.keys(override).length > 0 && { filters_override: JSON.stringify(override) }),
              ...(Object.keys(variables).length > 0 && { variables_override: JSON.stringify(variables) }),
            },
          } as never,
          signal,
        }),
      );
    },
    staleTime: 30_000,
  });

/** How often a dashboard on the screen looks whether somebody else changed it, in milliseconds. */
const VERSION_MS = 10_000;

/** The version of a dashboard and who changed it last. */
export const dashboardVersionQuery = (project: string, id: number) =>
  queryOptions({
    queryKey: ['project', project, 'dashboard-version', id],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/dashboards/{id}/version/', {
          params: { path: { project_id: project, id } },
          signal,
        } as never),
      ) as Promise<{ version: number; last_modified_by: Schemas['User'] | null }>,
    refetchInterval: VERSION_MS,
    staleTime: 0,
  });

export interface DashboardFields {
  name?: string;
  description?: string;
  pinned?: boolean;
  deleted?: boolean;
  tags?: string[];
  filters?: Record<string, unknown>;
  variables?: Record<string, VariableOverride>;
  tiles?: Record<string, unknown>[];
  use_template?: string;
  use_dashboard?: number;
  restriction_level?: number;
}

export const createDashboard = (project: string, fields: DashboardFields) =>
  unwrap(
    api.POST('/api/environments/{project_id}/dashboards/', { params: { path: { project_id: project } }, body: fields as never }),
  );

/** Changes a dashboard. `version`: the one that the change is based on; another one since then is refused with 409. */
export const updateDashboard = (project: string, id: number, fields: DashboardFields, version?: number) =>
  unwrap(
    api.PATCH('/api/environments/{project_id}/dashboards/{id}/', {
      params: { path: { project_id: project, id } },
      body: fields as never,
      ...(version !== undefined && { headers: { 'if-match': `"${version}"` } }),
    }),
  );

/** The templates that dashboards can begin with: built-in ones first, then those of the project. */
export const templatesQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'dashboard-templates'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/dashboard_templates/', {
          params: { path: { project_id: project }, query: { limit: 100 } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });

/** Makes lists and screens of dashboards load anew. */
export const refreshDashboards = (queries: QueryClient, project: string): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[1] === project && (queryKey[2] === 'dashboards' || queryKey[2] === 'dashboard'),
  });
