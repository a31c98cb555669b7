import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type DateRange, rangeOf } from '../../address/date-range.js';
import type { Dashboard, DashboardFilters } from '../../data/dashboards.js';
import { type Variable, type VariableValue, variablesQuery } from '../../data/variables.js';
import { filterFromText } from '../../query/filter-text.js';
import type { DashboardSearch } from './route.js';
import { readOverrides, storedValue, usedVariables } from './variables.js';

/** What replaces or narrows the questions of all tiles. */
interface Overrides extends DashboardFilters {
  /** The variables that tiles name. */
  used: Variable[];
  shownValue: (variable: Variable) => VariableValue;
}

/** Dates, filters and values of variables of a dashboard: those of the address, else those that it stores. */
export function useFilters(project: string, dashboard: Dashboard | undefined, search: DashboardSearch): Overrides {
  const all = useQuery(variablesQuery(project)).data?.results;
  const stored = dashboard?.filters as { date_from?: string | null; date_to?: string | null } | undefined;
  const range: DateRange | null = search.from
    ? rangeOf(search)
    : stored?.date_from
      ? { from: stored.date_from, to: stored.date_to ?? null }
      : null;
  const properties = useMemo(() => (search.f ?? []).flatMap((text) => filterFromText(text) ?? []), [search.f]);
  const variables = useMemo(() => readOverrides(search.v ?? [], all ?? []), [search.v, all]);
  const used = useMemo(() => usedVariables(dashboard?.tiles ?? [], all ?? []), [dashboard, all]);
  const shownValue = (variable: Variable): VariableValue =>
    variables[variable.id]?.value ?? storedValue(dashboard?.variables, variable);
  return {
    range,
    properties,
    variables,
    used,
    shownValue,
    stored: { filters: dashboard?.filters, variables: dashboard?.variables },
  };
}
