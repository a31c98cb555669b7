import { z } from 'zod';
import { Refusal } from './http-client.js';
import { ImportError } from './import-error.js';
import { isUnavailable } from './objects/object-source.js';
import type { ImportReport } from './report.js';
import type { ClientContext, Target } from './target.js';

/** Milliseconds between two renewals; a lease is valid for 60 seconds. */
const RENEW_MS = 15_000;
/** How old the last renewal may be when something is written, milliseconds: enough remains for a clock of the service that is ahead. */
const FRESH_MS = 45_000;

const leaseSchema = z.object({ id: z.string() });

/** Who wants a project, and for what. */
interface Taking {
  /** UUID of this import, the same in each of its runs. */
  holder: string;
  /** What is imported, for people whose import is refused. */
  subject: string;
  report: ImportReport;
}

/**
 * Runs work that makes objects while no other import of objects works on the project. It writes to the target that it is given, which refuses
 * everything from the moment when the project may be another's: after the machine was suspended for longer than the lease is valid.
 * @throws ImportError another import has the project, or this one has lost it
 */
export async function withProject(
  target: Target,
  taking: Taking,
  context: ClientContext,
  work: (target: Target) => Promise<void>,
): Promise<void> {
  const lease = await takeLease(target, taking, context);
  if (!lease) return work(target);
  try {
    await work({ ...target, client: target.client.checkedBy(lease.check) });
  } finally {
    await lease.release();
  }
}

/** @returns null: the target has no leases, or not for this key */
async function takeLease({ client, api }: Target, { holder, subject, report }: Taking, { scheduler, clock }: ClientContext) {
  const path = `${api}/import_leases/`;
  // the machine's clock moves while it is suspended, and the other one when that clock is set back
  const moment = () => ({ uptime: scheduler.uptime(), time: clock.now() });
  const ageOf = (then: ReturnType<typeof moment>) => Math.max(scheduler.uptime() - then.uptime, clock.now() - then.time);
  let renewed = moment();
  let lost: ImportError | null = null;
  let id: string;
  try {
    ({ id } = leaseSchema.parse(await client.request('POST', path, { holder, subject: subject.slice(0, 400) })));
  } catch (error) {
    if (error instanceof Refusal && error.status === 409) {
      throw new ImportError(`${error.message} Nothing was written: run this command again when that import has ended.`);
    }
    if (!isUnavailable(error)) throw error;
    report.note(`The target does not keep other imports out (${error.message}): run one import of objects at a time.`);
    return null;
  }

  async function renew(patience: { patienceMs?: number } = {}): Promise<void> {
    const now = moment();
    try {
      await client.request('POST', `${path}${id}/renew/`, undefined, patience);
      renewed = now;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      lost = new ImportError(
        `This import has lost the project: ${error.message} Nothing was written since. When no other import runs, run the same command again: it continues where it stopped.`,
      );
      throw lost;
    }
  }

  // a service that does not answer is waited for by the next write
  const stop = scheduler.every(RENEW_MS, () => void renew({ patienceMs: 0 }).catch(() => {}));
  return {
    /** @throws ImportError the project may be another's */
    async check(): Promise<void> {
      if (lost) throw lost;
      while (ageOf(renewed) >= FRESH_MS) await renew();
    },
    async release(): Promise<void> {
      stop();
      // it expires without that, too
      if (!lost) await client.request('DELETE', `${path}${id}/`, undefined, { patienceMs: 0 }).catch(() => {});
    },
  };
}
