import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

/** A value that SQL questions name and dashboards set. */
export type Variable = Schemas['InsightVariable'];
export type VariableValue = Variable['default_value'];

export const variablesQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'variables'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/insight_variables/', {
          params: { path: { project_id: project }, query: { limit: 500 } },
          signal,
        }),
      ),
  });

interface VariableFields {
  name: string;
  type: Variable['type'];
  default_value: VariableValue;
  values: string[] | null;
}

export const createVariable = (project: string, fields: VariableFields): Promise<Variable> =>
  unwrap(
    api.POST('/api/environments/{project_id}/insight_variables/', {
      params: { path: { project_id: project } },
      body: fields as never,
    }),
  );

export const updateVariable = (project: string, id: string, fields: VariableFields): Promise<Variable> =>
  unwrap(
    api.PATCH('/api/environments/{project_id}/insight_variables/{id}/', {
      params: { path: { project_id: project, id } },
      body: fields as never,
    }),
  );

export const deleteVariable = (project: string, id: string): Promise<unknown> =>
  unwrap(api.DELETE('/api/environments/{project_id}/insight_variables/{id}/', { params: { path: { project_id: project, id } } }));

/** Makes a deleted variable again, under the same code name. */
export async function restoreVariable(project: string, variable: Variable): Promise<void> {
  const { name, code_name, type, default_value, values } = variable;
  // the first name makes the code name
  const { id } = await createVariable(project, { name: code_name, type, default_value, values });
  if (name !== code_name) await updateVariable(project, id, { name, type, default_value, values });
}

/** Makes the variables and everything that shows their values load anew. */
export const refreshVariables = (queries: QueryClient, project: string): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[1] === project && (queryKey[2] === 'variables' || queryKey[2] === 'tile'),
  });
