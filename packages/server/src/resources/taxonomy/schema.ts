import { z } from 'zod';
import { bool, choice, integerChoice, optional, text } from '../../http/fields.js';
import { pageOf } from '../../http/pagination.js';

const search = optional(text({ max: 1000, blank: true })).describe('Only names that contain this, in any case.');
const ORDERINGS = ['name', '-name', 'last_seen_at', '-last_seen_at'] as const;

export const eventQuery = z.object({
  search,
  ordering: optional(choice(ORDERINGS)).describe('Order; `-` reverses it.').meta({ default: 'name' }),
});
export type EventQuery = z.output<typeof eventQuery>;

/** A parameter with a list of names as JSON text. */
const names = text({ max: 100_000, blank: true }).transform((value, ctx): string[] => {
  const result = z.array(z.string().refine((name) => !name.includes('\0'))).safeParse(parseList(value));
  if (result.success) return result.data;
  ctx.addIssue({ code: 'custom', message: 'Expected a JSON list of names.', params: { code: 'invalid_input' } });
  return z.NEVER;
});

function parseList(value: string): unknown {
  try {
    return value === '' ? [] : JSON.parse(value);
  } catch {
    return null;
  }
}

export const propertyQuery = z.object({
  search,
  type: optional(choice(['event', 'person', 'group']))
    .describe('Properties of what.')
    .meta({ default: 'event' }),
  group_type_index: optional(integerChoice([0, 1, 2, 3, 4])).describe('Of groups, only those of this type.'),
  event_names: optional(names)
    .describe('JSON list of event names; their properties come first.')
    .meta({ example: '["$pageview"]' }),
  filter_by_event_names: optional(bool()).describe('Whether to list the properties of those events only.'),
});
export type PropertyQuery = z.output<typeof propertyQuery>;

export const seenTogetherQuery = z.object({
  event_names: names.describe('JSON list of event names.').meta({ example: '["$pageview"]' }),
  property_name: text({ max: 1000, trim: false }).describe('Name of a property.'),
});

/** An event definition as responses show it. */
export const eventSchema = z
  .object({
    id: z.uuid().describe('Identifies the definition.'),
    name: z.string().describe('Name of the events.'),
    description: z.string().describe('What the event means; empty.'),
    tags: z.array(z.string()).describe('Tags; empty.'),
    created_at: z.iso.datetime().nullable().describe('When the first event of the name came.'),
    last_seen_at: z.iso.datetime().nullable().describe('When an event of the name last came, to the hour.'),
    last_updated_at: z.iso.datetime().nullable().describe('The same as `last_seen_at`.'),
  })
  .meta({ id: 'EventDefinition', description: 'Events of one name.' });

/** A property definition as responses show it. */
export const propertySchema = z
  .object({
    id: z.uuid().describe('Identifies the definition.'),
    name: z.string().describe('Name of the property.'),
    description: z.string().describe('What the property means; empty.'),
    tags: z.array(z.string()).describe('Tags; empty.'),
    property_type: z
      .enum(['String', 'Numeric', 'Boolean', 'DateTime'])
      .nullable()
      .describe('Type of the values, by those that came first; null: unknown.'),
    is_numerical: z.boolean().describe('Whether the type is `Numeric`.'),
    is_seen_on_filtered_events: z
      .boolean()
      .nullable()
      .describe('Whether events of the names asked for have it; null when none were asked for.'),
  })
  .meta({ id: 'PropertyDefinition', description: 'A property of events, persons or groups.' });

export const eventPage = pageOf(eventSchema);
export const propertyPage = pageOf(propertySchema);
export const eventParams = { id: z.uuid().describe('Id of the event definition.') };
