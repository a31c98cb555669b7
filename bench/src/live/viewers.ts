import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '@tidemark/testkit';

/** One look at a dashboard. */
export interface Visit {
  /** Milliseconds until all tiles were there. */
  took: number;
  /** Age of the oldest of its numbers when the response arrived, milliseconds. */
  oldest: number;
  /** Tiles with an error or without a result. */
  failed: number;
}

interface Plan {
  count: number;
  everyMs: number;
  /** 0: everybody looks once. */
  seconds: number;
}

/** Viewers who look at a dashboard again and again. @returns their visits in the order of their ends */
export async function viewers(service: Service, dashboard: number, { count, everyMs, seconds }: Plan): Promise<Visit[]> {
  const visits: Visit[] = [];
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: count }, async (_, viewer) => {
      // people do not look at the same moment
      await sleep((everyMs * viewer) / count);
      do {
        const begun = performance.now();
        visits.push(await look(service, dashboard));
        await sleep(Math.max(0, everyMs - (performance.now() - begun)));
      } while (performance.now() < end);
    }),
  );
  return visits;
}

async function look(service: Service, dashboard: number): Promise<Visit> {
  const begun = performance.now();
  const { status, body } = await service.get(`/api/environments/@current/dashboards/${dashboard}/?refresh=blocking`);
  const took = performance.now() - begun;
  if (status !== 200) throw new Error(`The dashboard answers ${status}: ${JSON.stringify(body)}`);
  const { tiles } = body as { tiles: { error: unknown; insight: { result: unknown; complete_until: string | null } }[] };
  const ages = tiles.map(({ insight }) => Date.now() - Date.parse(insight.complete_until ?? ''));
  return {
    took,
    oldest: Math.max(...ages.filter(Number.isFinite)),
    failed: tiles.filter(({ error, insight }) => error !== null || insight.result === null).length,
  };
}
