import { z } from 'zod';
import { integer, optional, text, uuid } from '../../http/fields.js';
import { pageParameters } from '../../http/pagination.js';

/** A parameter of up to 1,000 characters; empty counts as left out. */
export const word = (description: string) => optional(text({ max: 1000, blank: true, trim: false })).describe(description);

/** Property filters as JSON text. @param max its longest length in characters */
const jsonFilters = (max: number) =>
  text({ max, blank: true }).transform((value, ctx): unknown => {
    if (value === '') return undefined;
    try {
      return JSON.parse(value);
    } catch {
      ctx.addIssue({ code: 'custom', message: 'Expected a JSON list of property filters.', params: { code: 'invalid_input' } });
      return z.NEVER;
    }
  });

/** A parameter with property filters. @param max its longest length in characters */
export const propertyFilters = (max: number) =>
  optional(jsonFilters(max)).describe('Property filters, as JSON text.').meta({ type: 'string' });

/** Query parameters of the list. */
export const eventsQuery = z.object({
  event: word('Only events of this name.'),
  distinct_id: word('Only events captured under this distinct id.'),
  person_id: optional(z.union([z.literal(''), uuid()])).describe('Only events of the person with this UUID.'),
  after: word(
    'Only later than this: a date, a date-time, a relative date such as `-7d`, or `all`. The last 24 hours if left out.',
  ),
  before: word('Only earlier than this.'),
  properties: propertyFilters(100_000),
  ...pageParameters,
});
export type EventsListQuery = z.output<typeof eventsQuery>;

/** An event as responses show it. */
const eventSchema = z
  .object({
    id: z.uuid().describe('UUID of the event.'),
    distinct_id: z.string().describe('Under which it was captured.'),
    properties: z.record(z.string(), z.unknown()).describe('What it says.'),
    event: z.string().describe('Its name.'),
    timestamp: z.string().describe('When it happened.').meta({ format: 'date-time' }),
    person: z
      .object({
        uuid: z.string().describe('Identifies the person.'),
        distinct_id: z.string().describe('Under which the event was captured.'),
        properties: z.record(z.string(), z.unknown()).describe('What is known of the person.'),
        created_at: z.string().nullable().describe('When the profile was made; null: there is none.'),
      })
      .describe('Whose it is; without properties when persons are hidden from you.'),
    elements: z.array(z.unknown()).describe('Always empty: see `elements_chain`.'),
    elements_chain: z.string().describe('The clicked element and its ancestors.'),
  })
  .meta({ id: 'Event', description: 'Something that was captured.' });

export const eventsPage = z.object({
  next: z.string().nullable().describe('Address of the next page; null on the last.').meta({ format: 'uri' }),
  results: z.array(eventSchema).describe('This page, newest first.'),
});

/** Values of a response that does not say how many. */
export const DEFAULT_VALUES = 25;
const MAX_VALUES = 100;

const valueParameters = {
  key: text({ max: 400, trim: false }).describe('Name of the property.'),
  value: word('Only values that contain this, in any case.'),
  limit: optional(integer().transform((count) => Math.min(Math.max(count, 1), MAX_VALUES)))
    .describe('How many values at most, up to 100.')
    .meta({ default: DEFAULT_VALUES }),
};

/** Query parameters of the values of a property. */
export const eventValuesQuery = z.object({ ...valueParameters, event_name: word('Only values that events of this name have.') });
export type EventValuesQuery = z.output<typeof eventValuesQuery>;
export const personValuesQuery = z.object(valueParameters);
export type PersonValuesQuery = z.output<typeof personValuesQuery>;

export const valuesSchema = z.array(
  z.object({
    name: z.string().describe('The value; what is no text as its JSON.'),
    count: z.int().describe('How many of the events or persons that were read have it.'),
  }),
);
