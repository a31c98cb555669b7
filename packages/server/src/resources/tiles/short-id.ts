import type { Ids } from '../../ports/system.js';

/** A new public id of an insight: 8 characters of `[0-9A-Za-z_-]`, never digits alone, which would read as a number. */
export function newShortId(ids: Ids): string {
  const id = ids.token(6);
  return /^\d+$/.test(id) ? newShortId(ids) : id;
}
