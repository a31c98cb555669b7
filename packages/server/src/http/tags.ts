import { list, text } from './atoms.js';

/** Words as they are stored: trimmed, in lower case, each once. */
export const tagList = list(text({ max: 255 })).transform((tags) => [...new Set(tags.map((tag) => tag.toLowerCase()))]);
