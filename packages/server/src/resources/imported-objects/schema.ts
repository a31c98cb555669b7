import { z } from 'zod';
import { list, optional, text } from '../../http/fields.js';
import { pageOf, pageParameters } from '../../http/pagination.js';

/** Objects of one request. */
const MOST = 1_000;

const source = () => text({ max: 400 }).describe('The project that the objects come from: its UUID.');
const kind = () => text({ max: 100 }).describe('Kind of object, such as `dashboards`.');

export const listQuery = z.object({
  source: source(),
  kind: optional(kind()).describe('Only this kind of object.'),
  ...pageParameters,
});

const reference = z.object({
  kind: kind(),
  source_id: text({ max: 400 }).describe('Its id in the source.'),
  target_id: text({ max: 400 }).describe('Its id in this project.'),
});

/** Body of POST. */
export const rememberSchema = z
  .object({
    source: source(),
    objects: list(reference)
      .refine((objects) => objects.length <= MOST, {
        message: `Expected at most ${MOST} objects.`,
        params: { code: 'invalid_input' },
      })
      .describe(`The objects, ${MOST} at most. One that was noted before gets the new id.`),
  })
  .meta({
    example: {
      source: '018bcfe5-6800-7000-8000-000000000000',
      objects: [{ kind: 'dashboards', source_id: '17', target_id: '3' }],
    },
  });

const importedObject = z
  .object({
    kind: z.string().describe('Kind of object.'),
    source_id: z.string().describe('Its id in the source.'),
    target_id: z.string().describe('Its id in this project, where it may be gone.'),
  })
  .meta({ id: 'ImportedObject', description: 'Which object of another project became which one of this project.' });

export const importedObjectPage = pageOf(importedObject);

export const rememberResponse = z.object({ count: z.int().describe('How many objects were noted.') });
