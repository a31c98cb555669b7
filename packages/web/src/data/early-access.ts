import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

export type EarlyAccessFeature = Schemas['EarlyAccessFeature'];
export type EarlyAccessStage = EarlyAccessFeature['stage'];

/** The stages in their order, each with what it does to the flag. */
export const STAGES: readonly { stage: EarlyAccessStage; label: string; effect: string }[] = [
  { stage: 'draft', label: 'Draft', effect: 'Pages do not list it' },
  { stage: 'concept', label: 'Concept', effect: 'People can say that they want it' },
  { stage: 'alpha', label: 'Alpha', effect: 'On for people who enrolled' },
  { stage: 'beta', label: 'Beta', effect: 'On for people who enrolled' },
  { stage: 'general-availability', label: 'For everybody', effect: 'On for everybody' },
  { stage: 'archived', label: 'Archived', effect: 'Pages do not list it' },
];

/** Features at most; a project has few. */
const MOST = 500;

export const earlyAccessQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'early-access'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/early_access_feature/', {
          params: { path: { project_id: project }, query: { limit: MOST } as never },
          signal,
        }),
      ),
  });

interface FeatureFields {
  name?: string;
  description?: string;
  stage?: EarlyAccessStage;
}

export const createFeature = (project: string, fields: FeatureFields & { name: string }) =>
  unwrap(
    api.POST('/api/environments/{project_id}/early_access_feature/', {
      params: { path: { project_id: project } },
      body: fields,
    }),
  );

export const updateFeature = (project: string, id: string, fields: FeatureFields) =>
  unwrap(
    api.PATCH('/api/environments/{project_id}/early_access_feature/{id}/', {
      params: { path: { project_id: project, id } },
      body: fields,
    }),
  );

export const deleteFeature = (project: string, id: string) =>
  unwrap(
    api.DELETE('/api/environments/{project_id}/early_access_feature/{id}/', { params: { path: { project_id: project, id } } }),
  );
