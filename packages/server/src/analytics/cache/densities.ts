import type { Caches } from '../../caches/index.js';
import type { Ports } from '../../deps.js';
import { createExecute } from '../execute.js';
import { sql } from '../sql/fragment.js';
import { selectFromEvents } from '../sql/source.js';
import { notBefore } from '../sql/time.js';

const WEEK = 7 * 86_400_000;
const HOUR = 3_600_000;
const MAX_PROJECTS = 10_000;
/** Events of a distinct id in a week from which on grouping by distinct id first pays. */
const DENSE = 4;

/** How many events the distinct ids of projects have. */
export interface Densities {
  /** Whether the distinct ids of a project have several events each, as it was within the last hour. */
  isDense(projectId: number): Promise<boolean>;
}

export function createDensities(
  { events, clock, config }: Pick<Ports, 'events' | 'clock' | 'config'>,
  caches: Caches,
): Densities {
  const known = caches.create<number, boolean>({ name: 'event_densities', max: { entries: MAX_PROJECTS }, ttl: HOUR });

  async function read(projectId: number): Promise<boolean> {
    const statement = selectFromEvents({
      projectId,
      select: [sql`count() as events`, sql`uniq(e.distinct_hash) as ids`],
      where: [notBefore(clock.now() - WEEK)],
    });
    const [row] = await createExecute(events, projectId)<{ events: number; ids: number }>(statement);
    return row !== undefined && row.events >= DENSE * row.ids && row.ids > 0;
  }

  return {
    isDense: async (projectId) => {
      // on a cluster, the shards would leave most of the work to the server that was asked
      if (config.clickhouseCluster !== null) return false;
      return known.getOrLoad(projectId, () => read(projectId)).catch(() => false);
    },
  };
}
