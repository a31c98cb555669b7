import { isObject, type JsonObject } from '../../kernel/json.js';
import type { RetrieveQuery } from './query-schema.js';

type Overrides = Pick<RetrieveQuery, 'filters_override' | 'variables_override'>;

/** A dashboard with filters and variables as somebody asked to see it once; what is stored stays. */
export const withOverrides = <Row extends { filters: JsonObject; variables: JsonObject }>(
  row: Row,
  { filters_override: filters = {}, variables_override: variables = {} }: Overrides,
): Row => ({
  ...row,
  filters: { ...row.filters, ...filters },
  variables: { ...row.variables, ...laidOver(row.variables, variables) },
});

/** Of a variable that both know, only what is said again changes: most often its value alone. */
const laidOver = (stored: JsonObject, variables: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(variables).map(([id, variable]) => {
      const before = Object.hasOwn(stored, id) ? stored[id] : null;
      return [id, isObject(before) && isObject(variable) ? { ...before, ...variable } : variable];
    }),
  );
