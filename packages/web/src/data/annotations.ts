import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { toast } from '../ui/toast.js';
import { api, type Schemas, unwrap } from './api.js';

export type Annotation = Schemas['Annotation'];

const PAGE = 100;

/** Annotations, the latest moment first, in pages of 100. */
export const annotationListQuery = (project: string, search: string) =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'annotations', search],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/annotations/', {
          params: { path: { project_id: project }, query: { limit: PAGE, offset: pageParam, ...(search && { search }) } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }, _pages, offset) => (next ? offset + PAGE : undefined),
  });

/** Annotations that charts may show, the latest ones. */
const ON_CHARTS = 500;

/** What happened in the project, for charts. */
export const annotationsQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'annotations', { of: 'charts' }],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/annotations/', {
          params: { path: { project_id: project }, query: { limit: ON_CHARTS } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });

/** What a request may set of an annotation. */
export interface AnnotationFields {
  content?: string;
  /** The moment, ISO 8601. */
  date_marker?: string;
  scope?: 'project' | 'organization';
  deleted?: boolean;
}

export const createAnnotation = (project: string, fields: AnnotationFields) =>
  unwrap(api.POST('/api/environments/{project_id}/annotations/', { params: { path: { project_id: project } }, body: fields }));

export const updateAnnotation = (project: string, id: number, fields: AnnotationFields) =>
  unwrap(
    api.PATCH('/api/environments/{project_id}/annotations/{id}/', {
      params: { path: { project_id: project, id: String(id) } },
      body: fields,
    }),
  );

/** Makes the lists, and the charts that show annotations, load anew. */
export async function refreshAnnotations(queries: QueryClient, project: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['project', project, 'annotations'] });
}

/** Deletes an annotation. A toast offers to undo it. */
export async function deleteAnnotation(queries: QueryClient, project: string, { id }: Annotation): Promise<void> {
  const refresh = () => refreshAnnotations(queries, project);
  await updateAnnotation(project, id, { deleted: true });
  await refresh();
  const restore = () =>
    updateAnnotation(project, id, { deleted: false }).then(refresh, ({ message }: Error) =>
      toast(`It stays deleted: ${message}`),
    );
  toast('The annotation is deleted.', { label: 'Undo', onPress: () => void restore() });
}
