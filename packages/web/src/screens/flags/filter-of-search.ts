import type { FlagFilter, FlagState, FlagType } from '../../data/flags.js';

/** `search`: text. `is`: on, off or stale. `type`: kind of flag. `tag`: one tag. */
export interface FlagsSearch {
  search?: string;
  is?: FlagState;
  type?: FlagType;
  tag?: string;
}

export const filterOfSearch = ({ search, is, type, tag }: FlagsSearch): FlagFilter => ({
  ...(search && { search }),
  ...(is && { state: is }),
  ...(type && { type }),
  ...(tag && { tag }),
});
