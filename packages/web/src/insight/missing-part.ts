import type { Question } from '../query/question.js';
import { isIncomplete } from './builder/SeriesEditor.js';

/** What a question lacks before it can be asked, as a sentence; null: nothing. */
export function missingPart({ kind, series = [], properties, query }: Question): string | null {
  if (kind === 'HogQLQuery') return query?.trim() ? null : 'Write a statement, then run it.';
  if (series.some(isIncomplete)) return 'Choose the property that is counted.';
  const filters = [...(Array.isArray(properties) ? properties : []), ...series.flatMap((one) => one.properties ?? [])];
  if (filters.some(({ value }) => (Array.isArray(value) && value.length === 0) || value === ''))
    return 'Choose the value of the filter.';
  return null;
}
