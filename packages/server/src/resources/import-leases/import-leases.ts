import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { ApiError } from '../../kernel/errors.js';
import { LEASE_SECONDS } from './schema.js';
import { type LeaseRow, readLease, renewLease, takeLease } from './store.js';

export const leaseView = ({ id, subject, taker, taken_at, expires_at }: LeaseRow) => ({
  id,
  subject,
  taken_by: taker,
  taken_at: isoTime(taken_at),
  expires_at: isoTime(expires_at),
});

/** Gives the project to an import. @throws ApiError conflict, with the lease of the import that has it */
export async function take(
  { deps: { clock, db, ids }, project, principal }: ProjectContext,
  request: { holder: string; subject: string },
): Promise<LeaseRow> {
  // a lease that is given back between the two statements stands against nobody
  for (;;) {
    const now = clock.now();
    const [id, expiresAt] = [ids.uuid(), expiryFrom(now)];
    await takeLease(db, project.id, { ...request, id, userId: principal.userId, now: new Date(now), expiresAt });
    const lease = await readLease(db, project.id);
    if (lease?.id === id) return lease;
    if (lease) throw conflictWith(lease);
  }
}

/** Extends the lease of an import. @throws ApiError conflict: the import has lost the project, with the lease of the one that has it now */
export async function renew({ deps: { clock, db }, project }: ProjectContext, id: string): Promise<LeaseRow> {
  await renewLease(db, project.id, id, expiryFrom(clock.now()));
  const lease = await readLease(db, project.id);
  if (lease?.id === id) return lease;
  if (lease) throw conflictWith(lease);
  throw new ApiError('conflict', 'The lease has ended, and another import may have had the project since.');
}

const expiryFrom = (now: number): Date => new Date(now + LEASE_SECONDS * 1_000);

function conflictWith(lease: LeaseRow): ApiError {
  const { subject, taker, taken_at, expires_at } = lease;
  const who = taker ? ` by ${taker.email}` : '';
  const [begin, end] = [secondOf(taken_at), secondOf(expires_at)];
  const conflict = new ApiError(
    'conflict',
    `The import of ${subject}, begun${who} at ${begin}, has this project until ${end}, and longer while it runs.`,
  );
  conflict.body.extra = leaseView(lease);
  return conflict;
}

const secondOf = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;
