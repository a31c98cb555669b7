import { ApiError } from '../kernel/errors.js';

const MAX_LENGTH = 1_000_000;
const MAX_DEPTH = 200;

/**
 * A value as text for a `jsonb` column.
 * @throws ApiError invalid_input when it is too large or too deep to be a setting
 */
export function jsonColumn(value: unknown): string {
  if (isDeeper(value, MAX_DEPTH)) throw new ApiError('invalid_input', 'This value is nested too deeply.');
  const text = JSON.stringify(value);
  if (text.length > MAX_LENGTH) throw new ApiError('invalid_input', 'This value is too large.');
  return storableJson(text);
}

/** JSON text as PostgreSQL can store it. It takes neither NUL nor half surrogate pairs: the first are dropped, the second replaced. */
export function storableJson(text: string): string {
  // escaped backslashes are matched first, so that the text "\\u0000" stays what it is
  return text.replace(/\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g, (match) => {
    if (match === '\\\\') return match;
    return match === '\\u0000' ? '' : '\\ufffd';
  });
}

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1)));
