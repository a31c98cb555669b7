/** A select that was run in this tab. */
export interface Run {
  sql: string;
  /** Epoch milliseconds. */
  at: number;
}

const MOST = 50;
const placeOf = (project: string): string => `sql-history:${project}`;

/** The selects that were run in this tab, the latest first. */
export function readHistory(project: string): Run[] {
  try {
    const list: unknown = JSON.parse(sessionStorage.getItem(placeOf(project)) ?? '[]');
    return Array.isArray(list) ? (list as Run[]) : [];
  } catch {
    return [];
  }
}

/** Puts a select first; the same text is there once. @returns the list */
export function noteRun(project: string, sql: string, at: number): Run[] {
  const list = [{ sql, at }, ...readHistory(project).filter((run) => run.sql !== sql)].slice(0, MOST);
  sessionStorage.setItem(placeOf(project), JSON.stringify(list));
  return list;
}
