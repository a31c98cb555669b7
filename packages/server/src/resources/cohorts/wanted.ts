import { isUuid } from '../../http/ids.js';
import type { Wanted } from './members-store.js';

/** People by their distinct ids or uuids; what reads as a uuid may be either. */
export const wantedPeople = (ids: readonly string[]): Wanted => ({
  distinctIds: [...new Set(ids)],
  uuids: [...new Set(ids)].filter(isUuid),
  emails: [],
});
