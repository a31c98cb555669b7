import type { Deps } from '../../deps.js';
import { isoTime } from '../../http/dates.js';
import { inTransaction } from '../../http/in-transaction.js';
import { insertJob } from '../../jobs/index.js';
import type { Db } from '../../ports/db.js';
import { LOAD_JOB, REMOVE_JOB } from './jobs.js';
import type { SampleOwner } from './objects.js';
import { insertSample, moveSample, readSample } from './store.js';

/** Requests the sample data of a project; the same project gets the same shop each time. @returns false: it has some */
export function loadSample({ db, clock }: Pick<Deps, 'db' | 'clock'>, projectId: number, owner: SampleOwner): Promise<boolean> {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    if (!(await insertSample(tx, projectId, projectId, new Date(now)))) return false;
    await insertJob(tx, projectId, { kind: LOAD_JOB, payload: { ...owner }, now: new Date(now) });
    return true;
  });
}

/** Requests the removal of the sample data of a project. Does nothing where there is none, or where it is being removed. */
export function removeSample({ db, clock }: Pick<Deps, 'db' | 'clock'>, projectId: number): Promise<boolean> {
  const now = new Date(clock.now());
  return inTransaction(db, async (tx) => {
    const isMoved = await moveSample(tx, projectId, ['loading', 'loaded', 'failed'], { state: 'removing', now });
    if (isMoved) await insertJob(tx, projectId, { kind: REMOVE_JOB, payload: null, now });
    return isMoved;
  });
}

/** The sample data of a project as responses show it. */
export async function sampleView(db: Db, projectId: number) {
  const row = await readSample(db, projectId);
  const dashboard = row?.objects.find(({ table }) => table === 'dashboards')?.id;
  return {
    state: row?.state ?? ('none' as const),
    done: row?.done ?? 0,
    total: row?.total ?? 0,
    error: row?.error ?? null,
    dashboard_id: typeof dashboard === 'number' ? dashboard : null,
    created_at: isoTime(row?.created_at ?? null),
  };
}
