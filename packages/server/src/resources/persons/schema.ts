import { z } from 'zod';
import { bool, dateTime, list, object, optional, text } from '../../http/fields.js';
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

const MOST_PERSONS = 1_000;
const MOST_IDS = 1_000;

const personToPut = z.object({
  distinct_ids: list(text({ max: 400, trim: false }))
    .refine((ids) => ids.length > 0 && ids.length <= MOST_IDS, {
      message: `Expected 1 to ${MOST_IDS} distinct ids.`,
      params: { code: 'invalid_input' },
    })
    .describe(`Distinct ids of the person, ${MOST_IDS} at most; persons who have one of them become one person.`),
  properties: optional(object()).describe('Properties to set; others stay.'),
  is_identified: optional(bool()).describe('Whether the person was ever identified.'),
  created_at: optional(dateTime()).describe('When the person was first seen; now by default. It counts for a new person only.'),
});

/** The body of a request that creates or updates persons. */
export const putPersonsSchema = z
  .object({
    persons: list(personToPut)
      .refine((persons) => persons.length <= MOST_PERSONS, {
        message: `Expected at most ${MOST_PERSONS} persons.`,
        params: { code: 'invalid_input' },
      })
      .describe(`The persons, ${MOST_PERSONS} at most.`),
  })
  .meta({
    example: {
      persons: [
        {
          distinct_ids: ['user-1', '018bcfe5-6800-7000-8000-000000000000'],
          properties: { email: 'ada@example.com' },
          is_identified: true,
          created_at: '2023-05-01T10:00:00Z',
        },
      ],
    },
  });

export const putPersonsResponse = z.object({
  results: z
    .array(
      z.object({
        uuid: z.uuid().describe('Identifies the person in queries.'),
        refused_ids: z
          .array(z.string())
          .describe('Distinct ids that were not joined to the person, such as `guest`: clients send them for everybody.'),
      }),
    )
    .describe('The persons, in the order of the request.'),
});
