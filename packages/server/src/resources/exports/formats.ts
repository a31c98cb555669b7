/** What can be asked for: by media type, the ending of its file, how many days it is kept, and whether it is a table. */
export const FORMATS = {
  'image/png': { ending: 'png', days: 180, isTable: false },
  'application/pdf': { ending: 'pdf', days: 180, isTable: false },
  'text/csv': { ending: 'csv', days: 7, isTable: true },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': { ending: 'xlsx', days: 7, isTable: true },
  'application/json': { ending: 'json', days: 180, isTable: false },
} as const;

export type Format = keyof typeof FORMATS;

/** Formats of recordings, which nothing else can be shown as. */
export const FILMS = ['video/webm', 'video/mp4', 'image/gif'] as const;

/** Whether a text of the database is one. */
export const isFormat = (text: string): text is Format => Object.hasOwn(FORMATS, text);
