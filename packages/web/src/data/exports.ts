import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

export type Export = Schemas['Export'];

/** The files that an insight or a dashboard can become. */
export const FORMATS = [
  { format: 'image/png', label: 'PNG picture' },
  { format: 'application/pdf', label: 'PDF document' },
  { format: 'text/csv', label: 'CSV table' },
  { format: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', label: 'Excel workbook' },
  { format: 'application/json', label: 'JSON' },
] as const;

export const formatLabel = (format: string): string => FORMATS.find((one) => one.format === format)?.label ?? format;

/** Whether an export is still being made. */
export const isInProgress = ({ has_content, exception }: Export): boolean => has_content === '' && exception === null;

/** The exports of the project, the latest first. They are read again while one is being made. */
export const exportsQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'exports'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/exports/', {
          params: { path: { project_id: project }, query: { limit: 100 } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.results.some(isInProgress) ? 1_000 : false),
  });

export interface ExportFields {
  dashboard?: number;
  insight?: number;
  export_format: (typeof FORMATS)[number]['format'];
  export_context?: Record<string, unknown>;
}

export const createExport = (project: string, fields: ExportFields) =>
  unwrap(
    api.POST('/api/environments/{project_id}/exports/', { params: { path: { project_id: project } }, body: fields as never }),
  );

const fetchExport = (project: string, id: number) =>
  unwrap(api.GET('/api/environments/{project_id}/exports/{id}/', { params: { path: { project_id: project, id: String(id) } } }));

/** Address of the file of an export. */
export const exportContent = (project: string, id: number): string =>
  `/api/environments/${project}/exports/${id}/content/?download=true`;

/** How long is waited between looks at an export, in milliseconds. */
const POLL_MS = 700;

/** Waits until an export is made. @throws Error with its cause, when it could not be made */
export async function waitForExport(project: string, id: number): Promise<Export> {
  for (;;) {
    const found = await fetchExport(project, id);
    if (found.exception !== null) throw new Error(found.exception);
    if (!isInProgress(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
