import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useProjectId } from '../../app/project-context.js';
import { flagReachQuery } from '../../data/flags-evaluation.js';
import { isCompleteFilter } from '../../query/filter-text.js';
import type { Filter } from '../../query/question.js';
import { useSettled } from '../../ui/use-settled.js';
import type { Condition } from './draft.js';

/** How many people, or groups, have the properties of a condition. */
export interface Reach {
  matching: number;
  total: number;
}

/** The reach of each condition, live; null: not known yet, or it cannot be counted. What other flags require is not counted. */
export function useReach(conditions: readonly Condition[], groupType: number | null): (Reach | null)[] {
  const project = useProjectId();
  const wanted = JSON.stringify(conditions.map(({ properties }) => properties.filter(isCompleteFilter)));
  const settled = useSettled(wanted);
  const lists: Filter[][] = JSON.parse(settled);
  const counts = useQueries({
    queries: lists.map((properties) => ({
      ...flagReachQuery(project, properties, groupType),
      placeholderData: keepPreviousData,
    })),
  });
  return conditions.map((_, index) => {
    const data = counts[index]?.data;
    return data ? { matching: data.users_affected, total: data.total_users } : null;
  });
}
