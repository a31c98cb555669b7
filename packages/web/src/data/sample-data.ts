import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './api.js';

const path = '/api/environments/{project_id}/sample_data/';
const paramsOf = (project: string) => ({ params: { path: { project_id: project } } });

/** Whether the project has sample data, and how far loading is. While something goes on, it is read again each second. */
export const sampleDataQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'sample-data'],
    queryFn: ({ signal }) => unwrap(api.GET(path, { ...paramsOf(project), signal })),
    refetchInterval: ({ state }) => (state.data?.state === 'loading' || state.data?.state === 'removing' ? 1_000 : false),
  });

export const loadSampleData = (project: string) => unwrap(api.POST(path, paramsOf(project)));

export const removeSampleData = (project: string) => unwrap(api.DELETE(path, paramsOf(project)));
