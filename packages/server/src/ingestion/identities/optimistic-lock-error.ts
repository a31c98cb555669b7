import { isForeignKeyViolation, sqlState } from '../../kernel/sql.js';

/** Another transaction changed a person between the read and the write of this batch; a retry reads the new state. */
export class OptimisticLockError extends Error {
  override name = 'Conflict';
}

/** serialization_failure, deadlock_detected, unique_violation, foreign_key_violation. */
const CONFLICT_STATES = new Set(['40001', '40P01', '23505', '23503']);

export const isWriteConflict = (error: unknown): boolean =>
  error instanceof OptimisticLockError || CONFLICT_STATES.has(sqlState(error));

/** The project of a row was deleted: no other foreign key of these rows can fail. */
export const isMissingReference = isForeignKeyViolation;
