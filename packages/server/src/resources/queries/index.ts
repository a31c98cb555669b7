import type { FastifyInstance } from 'fastify';
import { queryRunsOf } from '../../analytics/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { repeat, repeatInTurn } from '../../jobs/index.js';
import { queryRoutes } from './routes.js';

/** How often a server says which computations it is at; milliseconds. */
const BEAT_MS = 5_000;
/** How long after its time an answer that nobody fetched is deleted at most; milliseconds. */
const SWEEP_MS = 60_000;

/** `POST …/query/`: numbers and events of a project. */
export function registerQuery(app: FastifyInstance, deps: Deps): void {
  const runs = queryRunsOf(deps);
  mountProjectRoutes(app, deps, queryRoutes);
  let repeated: { stop(): Promise<void> }[] = [];
  app.addHook('onReady', async () => {
    repeated = [
      repeat(deps, { name: 'query_beat', everyMs: BEAT_MS, run: runs.beat }),
      repeatInTurn(deps, { name: 'query_sweep', everyMs: SWEEP_MS, run: runs.sweep }),
    ];
  });
  app.addHook('onClose', async () => {
    await Promise.all(repeated.map((one) => one.stop()));
    await runs.close();
  });
}
