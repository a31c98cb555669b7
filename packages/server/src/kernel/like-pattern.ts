/** The pattern of `ilike` that finds a text anywhere in a value; the text's own wildcards stand for themselves. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
