/** The formats of exports by media type: file extension, days until an export is deleted by default, whether the file is a table. */
export const FORMATS = {
  'image/png': { extension: 'png', days: 180, isTable: false },
  'application/pdf': { extension: 'pdf', days: 180, isTable: false },
  'text/csv': { extension: 'csv', days: 7, isTable: true },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': { extension: 'xlsx', days: 7, isTable: true },
  'application/json': { extension: 'json', days: 180, isTable: false },
} as const;

export type Format = keyof typeof FORMATS;

/** Formats of session recordings. Known to the API, and refused for every export. */
export const VIDEO_FORMATS = ['video/webm', 'video/mp4', 'image/gif'] as const;

export const isFormat = (text: string): text is Format => Object.hasOwn(FORMATS, text);

const MAX_NAME = 120;

/** A text as part of a file name: letters, digits, `_` and `-`. Latin letters become ASCII, those of other scripts stay. */
function slug(text: string): string {
  const words = text
    .normalize('NFKC')
    .replace(/\p{L}/gu, (letter) => {
      const bare = letter.normalize('NFKD').replace(/\p{M}/gu, '');
      return /^[a-z]+$/i.test(bare) ? bare : letter;
    })
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_\s-]/gu, '')
    .trim()
    .replace(/[-\s]+/g, '-');
  // by characters, because half of one cannot be sent in a header
  return [...words]
    .slice(0, MAX_NAME)
    .join('')
    .replace(/^[-_]+|[-_]+$/g, '');
}

/**
 * The file name of an export: the requested one, else its title and time.
 *
 * @example exportFilename(null, 'Weekly numbers', 'text/csv', now) // export-weekly-numbers-2026-05-01-120000.csv
 */
export function exportFilename(requested: string | null, title: string | null, format: Format, now: Date): string {
  const { extension } = FORMATS[format];
  const own = requested === null ? '' : slug(requested);
  if (own) return `${own}.${extension}`;
  const time = now.toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  return `${['export', slug(title ?? ''), time].filter(Boolean).join('-')}.${extension}`;
}
