import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, type Schemas, unwrap } from './api.js';

export type Viewed = Schemas['RecentlyViewed'];

/** What the person viewed last: dashboards, insights, flags and recordings, the latest first. */
export const recentlyViewedQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'recently-viewed'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/recently_viewed/', { params: { path: { project_id: project } }, signal })),
  });

/** Tells the service that the person views an object. Nothing depends on it: a failure is not shown. */
function noteView(project: string, kind: Viewed['kind'], id: number | string): Promise<unknown> {
  const path = { project_id: project, id } as never;
  switch (kind) {
    case 'dashboard':
      return api.POST('/api/environments/{project_id}/dashboards/{id}/viewed/', { params: { path } });
    case 'insight':
      return api.POST('/api/environments/{project_id}/insights/{id}/viewed/', { params: { path } });
    case 'feature_flag':
      return api.POST('/api/environments/{project_id}/feature_flags/{id}/viewed/', { params: { path } });
    case 'session_recording':
      return api.PATCH('/api/environments/{project_id}/session_recordings/{id}/', { params: { path }, body: { viewed: true } });
  }
}

/** Records that the person views an object, once for each object that is shown. @param id undefined: none is shown yet */
export function useNoteView(project: string, kind: Viewed['kind'], id: number | string | undefined): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (id === undefined) return;
    void noteView(project, kind, id).then(() => queries.invalidateQueries({ queryKey: recentlyViewedQuery(project).queryKey }));
  }, [queries, project, kind, id]);
}
