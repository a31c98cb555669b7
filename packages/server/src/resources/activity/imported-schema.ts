import { z } from 'zod';
import { choice, dateTime, list, nullable, optional, text } from '../../http/fields.js';
import { BATCH } from './store.js';

const importedChange = z.object({
  action: choice(['changed', 'created', 'deleted']).describe(
    '`created`: nothing was there before; `deleted`: there is none now.',
  ),
  field: text({ max: 400 }).describe('The field.'),
  before: z.unknown().describe('What it was.'),
  after: z.unknown().describe('What it became.'),
});

const importedEntry = z.object({
  id: text({ max: 400 }).describe('Its id in the other service. An entry that was imported before is not imported again.'),
  author: optional(nullable(text({ max: 400 }))).describe('Who did it, in words of the other service; null for nobody.'),
  activity: text({ max: 100 }).describe('What happened, such as `updated`.'),
  created_at: dateTime().describe('When it happened.'),
  name: optional(nullable(text({ max: 400 }))).describe('What the object was called.'),
  changes: optional(list(importedChange)).describe('What changed.'),
});

/** Body of a request that imports entries. */
export const importSchema = z
  .object({
    entries: list(importedEntry)
      .refine((entries) => entries.length <= BATCH, {
        message: `Expected at most ${BATCH} entries.`,
        params: { code: 'invalid_input' },
      })
      .describe(`The entries, ${BATCH} at most.`),
  })
  .meta({
    example: {
      entries: [
        {
          id: '018bcfe5-6800-7000-8000-000000000000',
          author: 'ada@example.com',
          activity: 'updated',
          created_at: '2024-05-01T10:00:00Z',
          name: 'new-cart',
          changes: [{ action: 'changed', field: 'active', before: false, after: true }],
        },
      ],
    },
  });

/** What became of the entries. */
export const importResponse = z.object({
  imported: z.int().describe('Entries that are new.'),
  present: z.int().describe('Entries that were imported before.'),
});

/** One entry of another service. */
export type ImportedEntry = z.output<typeof importedEntry>;
