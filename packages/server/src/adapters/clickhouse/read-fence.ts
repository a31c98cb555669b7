import { EventsUnavailable } from '../../ports/events.js';

/** Keeps rows out that say what has been overtaken: their persons were read too long ago. */
export interface ReadFence {
  /**
   * Runs an insert of rows whose persons were read at `readAt`; undefined: now.
   * @throws EventsUnavailable a project of them has a later bound
   */
  pass<T>(rows: readonly { project_id: number }[], readAt: number | undefined, insert: () => Promise<T>): Promise<T>;
  /** Raises the bound of a project to `time`. Returns whether no insert runs that was read before. */
  raise(projectId: number, time: number): boolean;
}

/** @param uptime milliseconds that only grow: a clock that is set back must not make old rows look new, or new ones old */
export function createReadFence(uptime: () => number): ReadFence {
  const bounds = new Map<number, number>();
  /** The inserts that run. */
  const open = new Set<{ readAt: number }>();
  return {
    pass: async (rows, readAt = uptime(), insert) => {
      if (bounds.size > 0 && rows.some(({ project_id }) => readAt < (bounds.get(project_id) ?? Number.NEGATIVE_INFINITY))) {
        throw new EventsUnavailable('The persons of these events were read too long ago.');
      }
      const mine = { readAt };
      open.add(mine);
      try {
        return await insert();
      } finally {
        open.delete(mine);
      }
    },
    raise: (projectId, time) => {
      bounds.set(projectId, Math.max(time, bounds.get(projectId) ?? time));
      return [...open].every(({ readAt }) => readAt >= time);
    },
  };
}
