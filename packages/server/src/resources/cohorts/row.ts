import type { JsonObject } from '../../kernel/json.js';

/** A cohort as it is stored. */
export interface CohortRow {
  id: number;
  name: string | null;
  description: string;
  /** `{ properties: { type, values } }`; `{}` of a list of people. */
  filters: JsonObject;
  is_static: boolean;
  deleted: boolean;
  /** Null until it was counted. */
  count: number | null;
  version: number;
  is_calculating: boolean;
  last_calculation: Date | null;
  errors_calculating: number;
  created_by: number | null;
  created_at: Date;
}

/** The filter by which queries ask for who is in a cohort. */
export const inCohort = ({ id }: Pick<CohortRow, 'id'>): JsonObject => ({ type: 'cohort', key: 'id', value: id });
