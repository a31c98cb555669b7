import { z } from 'zod';
import { userSchema } from '../../auth/index.js';
import { bool, choice, integerChoice, nullable, optional, tag, tagList, text } from '../../http/fields.js';
import { pageOf } from '../../http/pagination.js';
import { queryValues } from '../../http/validate.js';

/** Filters of both lists. */
const listFilters = {
  search: optional(text({ max: 1000, blank: true })).describe('Only names that contain this, in any case.'),
  tags: queryValues(tag).describe('Only those with any of these tags.'),
  verified: optional(bool()).describe('Only verified ones, or only others.'),
  hidden: optional(bool()).describe('Only hidden ones, or only others.'),
  exclude_hidden: optional(bool())
    .describe('Whether hidden ones are left out, where `hidden` says nothing.')
    .meta({ default: true }),
};
export interface ListFilters {
  search?: string | undefined;
  tags?: string[] | undefined;
  verified?: boolean | undefined;
  hidden?: boolean | undefined;
  exclude_hidden?: boolean | undefined;
}

const ORDERINGS = ['name', '-name', 'last_seen_at', '-last_seen_at', 'volume_30_day', '-volume_30_day'] as const;

export const eventQuery = z.object({
  ...listFilters,
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
  ...listFilters,
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

/** What people say about an event or a property. */
export const changeSchema = z
  .object({
    description: optional(nullable(text({ max: 10_000, blank: true }))).describe('What it means; null empties it.'),
    tags: optional(nullable(tagList)).describe('All the tags; stored in lower case, each once. Null changes nothing.'),
    verified: optional(bool()).describe('Whether it is agreed on. What is verified cannot be hidden.'),
    hidden: optional(bool()).describe('Whether lists leave it out by default.'),
  })
  .meta({ example: { description: 'A person finished the sign-up.', tags: ['growth'], verified: true } });
export type DefinitionChange = z.output<typeof changeSchema>;

/** What members write of an event or property, with when and by whom. */
const description = {
  description: z.string().describe('What it means; may be empty.'),
  tags: z.array(z.string()).describe('Tags, in lower case, each once.'),
  verified: z.boolean().describe('Whether it is agreed on.'),
  verified_at: z.iso.datetime().nullable().describe('When it was verified.'),
  verified_by: userSchema.nullable().describe('Who verified it.'),
  hidden: z.boolean().describe('Whether lists leave it out by default.'),
  updated_at: z.iso.datetime().nullable().describe('When somebody last changed the definition.'),
  updated_by: userSchema.nullable().describe('Who last changed it.'),
};

/** An event definition as responses show it. */
export const eventSchema = z
  .object({
    id: z.uuid().describe('Identifies the definition.'),
    name: z.string().describe('Name of the events.'),
    ...description,
    created_at: z.iso.datetime().nullable().describe('When the first event of the name came.'),
    last_seen_at: z.iso.datetime().nullable().describe('When an event of the name last came, to the hour.'),
    last_updated_at: z.iso.datetime().nullable().describe('The same as `last_seen_at`.'),
    volume_30_day: z
      .int()
      .nullable()
      .describe('Events of the name in the last 30 days, as counted within the last ten minutes; null: not known now.'),
  })
  .meta({ id: 'EventDefinition', description: 'Events of one name.' });

/** A property definition as responses show it. */
export const propertySchema = z
  .object({
    id: z.uuid().describe('Identifies the definition.'),
    name: z.string().describe('Name of the property.'),
    ...description,
    property_type: z
      .enum(['String', 'Numeric', 'Boolean', 'DateTime'])
      .nullable()
      .describe('Type of the values, by those that came first; null: unknown.'),
    is_numerical: z.boolean().describe('Whether the type is `Numeric`.'),
    is_seen_on_filtered_events: z
      .boolean()
      .nullable()
      .describe('Whether events of the names asked for have it; null when none were asked for.'),
    created_at: z.iso.datetime().nullable().describe('When the first value came.'),
    last_seen_at: z.iso.datetime().nullable().describe('When a value last came, to the hour.'),
  })
  .meta({ id: 'PropertyDefinition', description: 'A property of events, persons or groups.' });

export const eventPage = pageOf(eventSchema);
export const propertyPage = pageOf(propertySchema);
export const definitionParams = { id: z.uuid().describe('Id of the definition.') };
