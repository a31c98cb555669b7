import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { flagReachQuery } from '../../data/flags-evaluation.js';
import { takesOf } from '../../query/filter-text.js';
import type { Filter } from '../../query/question.js';
import type { Condition } from './draft.js';

/** How many people, or groups, have the properties of a condition. */
export interface Reach {
  matching: number;
  total: number;
}

/** Pause in editing after which people are counted; milliseconds. */
const PAUSE_MS = 300;

/** The reach of each condition, live; null: not known yet, or it cannot be counted. What other flags require is not counted. */
export function useReach(conditions: readonly Condition[], groupType: number | null): (Reach | null)[] {
  const project = useProjectId();
  const wanted = JSON.stringify(conditions.map(({ properties }) => properties.filter(isComplete)));
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

/** Whether a filter has its value: one that is being added has none yet. */
const isComplete = ({ type, operator, value }: Filter): boolean =>
  type === 'cohort' ||
  takesOf(operator) === 'nothing' ||
  (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '');

/** A text when it has not changed for a while. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
