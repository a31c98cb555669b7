import { z } from 'zod';
import { bool, optional, text } from '../../http/fields.js';
import { linksOf, pageParameters } from '../../http/pagination.js';

const filter = (description: string) => optional(text({ max: 1000, blank: true, trim: false })).describe(description);

/** A filter; an empty one is ignored. */
export const personQuery = z.object({
  distinct_id: filter('Only the person with this distinct id.'),
  email: filter('Only persons whose property `email` is this.'),
  search: filter('Only persons whose e-mail address or name contains this, or whose distinct id or UUID it is.'),
  ...pageParameters,
});
export type PersonQuery = z.output<typeof personQuery>;

export const deletionQuery = z.object({
  delete_events: optional(bool()).describe(
    'Whether the events that came until now are deleted, too, for good and also from the disk; within some minutes.',
  ),
});

/** A person as responses show it. */
export const personSchema = z
  .object({
    type: z.literal('person').describe('Tells persons from groups where both may come.'),
    id: z.int().describe('Number of the person.'),
    uuid: z.uuid().describe('Identifies the person in queries.'),
    name: z.string().describe('What names the person best: a property, else a distinct id, else the UUID.'),
    distinct_ids: z.array(z.string()).describe('Under which the person’s events are captured; 1,000 at most.'),
    properties: z
      .record(z.string(), z.unknown())
      .describe('What is known about the person.')
      .meta({ example: { email: 'ada@example.com' } }),
    created_at: z.iso.datetime().describe('When the first event of the person came.'),
    is_identified: z.boolean().describe('Whether the person was ever identified.'),
  })
  .meta({ id: 'Person', description: 'Somebody that events belong to.' });

/** A page of persons, without a count of all. */
export const personPage = z.object({ ...linksOf(), results: z.array(personSchema).describe('This page, newest first.') });

/** The parameter of paths to one person. */
export const personParams = { id: z.string().describe('Number or UUID of the person.') };
