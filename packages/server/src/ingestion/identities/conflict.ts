import { isForeignKeyViolation, sqlState } from '../../kernel/sql.js';

/** Somebody else changed what this batch was decided upon; deciding anew helps. */
export class Conflict extends Error {
  override name = 'Conflict';
}

/** Serialization failure, deadlock, the same row made twice, a referenced row gone. */
const CONFLICTS = new Set(['40001', '40P01', '23505', '23503']);

export const isConflict = (error: unknown): boolean => error instanceof Conflict || CONFLICTS.has(sqlState(error));

/** A referenced row is gone: of the rows written here only projects can be that. */
export const isMissingReference = isForeignKeyViolation;
