import { FORMATS, type Format } from './formats.js';

const LONGEST = 120;

/** A text as part of a file's name: letters of ASCII, digits, `_` and `-`. */
export const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_\s-]/g, '')
    .trim()
    .replace(/[-\s]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^[-_]+|[-_]+$/g, '');

/** The name of the file of an export: as asked for, else what it shows and when it was made. */
export function filenameOf(asked: string | null, shown: string | null, format: Format, now: Date): string {
  const { ending } = FORMATS[format];
  const own = asked === null ? '' : slug(asked);
  if (own) return `${own}.${ending}`;
  const time = now.toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  return `${['export', slug(shown ?? ''), time].filter(Boolean).join('-')}.${ending}`;
}
