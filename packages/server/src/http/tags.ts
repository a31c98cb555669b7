import { list, text } from './fields.js';

/** A word as it is stored: trimmed and in lower case. */
export const tag = text({ max: 255 }).transform((word) => word.toLowerCase());

/** Words as they are stored, each once. */
export const tagList = list(tag).transform((tags) => [...new Set(tags)]);
