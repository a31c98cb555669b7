import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { eventNamesQuery, propertyNamesQuery } from '../../data/definitions.js';
import { tablesQuery } from '../../data/sql.js';

/** What the editor completes: columns by table, properties below them, and names of events in quotes. */
export function useCompletion(project: string) {
  const tables = useQuery(tablesQuery(project)).data;
  const ofEvents = useQuery(propertyNamesQuery(project, 'event', '')).data;
  const ofPersons = useQuery(propertyNamesQuery(project, 'person', '')).data;
  const events = useQuery(eventNamesQuery(project, '')).data;
  const schema = useMemo(
    () => Object.fromEntries((tables ?? []).map(({ name, columns }) => [name, columns.map((column) => column.name)])),
    [tables],
  );
  const completePath = useCallback(
    (path: string): readonly string[] => {
      const ofSession = tables?.find(({ name }) => name === 'sessions')?.columns.map(({ name }) => name) ?? [];
      if (/(^|\.)session$/.test(path)) return ofSession;
      if (/(^|\.)person$/.test(path)) return ['id', 'created_at', 'properties'];
      if (/(^|\.)person\.properties$/.test(path)) return ofPersons?.results.map(({ name }) => name) ?? [];
      return /(^|\.)properties$/.test(path) ? (ofEvents?.results.map(({ name }) => name) ?? []) : [];
    },
    [tables, ofEvents, ofPersons],
  );
  const completeText = useCallback(
    (before: string): readonly string[] =>
      /\bevent\s*(=|!=|in\s*\([^)]*)\s*$/i.test(before) ? (events?.results.map(({ name }) => name) ?? []) : [],
    [events],
  );
  return { schema, completePath, completeText };
}
