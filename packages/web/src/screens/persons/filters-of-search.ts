import { filterFromText } from '../../query/filter-text.js';
import type { Filter } from '../../query/question.js';

/** `search`: text. `f`: filters. `col`: properties that are shown as columns. */
export interface PersonsSearch {
  search?: string;
  f?: string[];
  col?: string[];
}

/** The filters in an address. */
export const filtersOfSearch = ({ f = [] }: PersonsSearch): Filter[] => f.flatMap((text) => filterFromText(text) ?? []);
