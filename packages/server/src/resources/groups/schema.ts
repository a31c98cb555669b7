import { z } from 'zod';
import { dateTime, integer, integerChoice, list, nullable, object, optional, text } from '../../http/fields.js';
import type { Json } from '../../kernel/json.js';
import { personSchema } from '../persons/index.js';

const key = () => text({ max: 400, trim: false });
const filter = () => optional(text({ max: 1000, blank: true, trim: false }));

const NO_INDEX =
  'You must pass ?group_type_index= in this URL. To get a list of valid group types, call /api/:project_id/groups_types/.';

/** The required index of a list; an empty one is missing. */
const listedIndex = z
  .unknown()
  .transform((value, ctx): unknown => {
    if (value !== undefined && value !== '') return value;
    ctx.addIssue({ code: 'custom', message: NO_INDEX, params: { code: 'invalid_input' }, input: value });
    return z.NEVER;
  })
  .pipe(integer())
  .meta({ type: 'integer', format: 'int32' });

export const listQuery = z.object({
  group_type_index: listedIndex.describe('Index of the group type to list. Must be passed.'),
  cursor: z.unknown().optional().describe('Where the page lies, from `next` or `previous`.').meta({ type: 'string' }),
  search: filter().describe(
    'Only groups with this text in a property (such as the name), or with this key; case does not count.',
  ),
  group_key: filter().describe('Only groups with this text in the key; case does not count.'),
});
export type ListQuery = z.output<typeof listQuery>;

const typeIndex = () => integer().describe('Index of the group type.');

export const oneQuery = z.object({
  group_type_index: typeIndex(),
  group_key: key().describe('Key of the group.'),
});

export const relatedQuery = z.object({
  id: text({ max: 1000, trim: false }).describe('Key of the group; without `group_type_index`: uuid of the person.'),
  group_type_index: z
    .preprocess((value) => (value === '' ? undefined : value), optional(integer()))
    .describe('Index of the group type, if it is about a group.'),
});

export const valuesQuery = z.object({
  group_type_index: typeIndex(),
  key: text({ max: 1000, trim: false }).describe('Name of the property.'),
  value: filter().describe('Only values with this text; case does not count.'),
});
export type ValuesQuery = z.output<typeof valuesQuery>;

export const activityQuery = z.object({
  group_type_index: optional(integer()).describe('Index of the group type, for the log of one group.'),
  group_key: optional(key()).describe('Key of that group.'),
});

export const createSchema = z
  .object({
    group_type_index: integerChoice([0, 1, 2, 3, 4]).describe('Index of the group type.'),
    group_key: key().describe('Key of the group, unique within its type.'),
    group_properties: optional(nullable(object())).describe('What is known of the group; `{}` if left out or null.'),
    created_at: optional(dateTime()).describe('When the group was first seen; now by default.'),
  })
  .meta({ example: { group_type_index: 0, group_key: 'acme', group_properties: { name: 'Acme', industry: 'anvils' } } });

export const setSchema = z
  .object({
    key: text({ max: 1000, trim: false }).describe('Name of the property.'),
    value: z
      .custom<Json>((value) => value !== undefined, { message: 'This field is required.', params: { code: 'required' } })
      .describe('Its new value: any JSON.'),
  })
  .meta({ example: { key: 'industry', value: 'rockets' } });

export const unsetSchema = z
  .object({ $unset: text({ max: 1000, trim: false }).describe('Name of the property to take away.') })
  .meta({ example: { $unset: 'industry' } });

const name = () => optional(nullable(text({ max: 400, blank: true })));

export const renameSchema = list(
  z.object({
    group_type_index: typeIndex(),
    name_singular: name().describe('What people call one such group; null: by its type.'),
    name_plural: name().describe('What people call several; null: by its type.'),
  }),
).meta({ example: [{ group_type_index: 0, name_singular: 'Company', name_plural: 'Companies' }] });
export type Renaming = z.output<typeof renameSchema>[number];

/** The body of a request that makes a group type. */
export const createTypeSchema = z
  .object({
    group_type: text({ max: 400, trim: false }).describe('Name of the type, as events give it.'),
    name_singular: name().describe('What people call one such group; null: by its type.'),
    name_plural: name().describe('What people call several; null: by its type.'),
  })
  .meta({ example: { group_type: 'company', name_singular: 'Company', name_plural: 'Companies' } });

const index = () => z.int().describe('Index of the group type, 0 to 4.');
const created = () => z.iso.datetime().describe('When the group was first seen.');

/** A group as responses show it. */
export const groupSchema = z
  .object({
    group_type_index: index(),
    group_key: z.string().describe('Key of the group, unique within its type.'),
    group_properties: z.record(z.string(), z.unknown()).nullable().describe('What is known of the group.'),
    created_at: created(),
  })
  .meta({
    id: 'Group',
    description: 'Something that events belong to beside a person, such as a company.',
    example: {
      group_type_index: 0,
      group_key: 'acme',
      group_properties: { name: 'Acme', industry: 'anvils' },
      created_at: '2025-01-07T12:00:00Z',
    },
  });

export const foundSchema = groupSchema
  .extend({ notebook: z.null().describe('Always null.') })
  .meta({ id: 'FoundGroup', description: 'A group that was looked up by its key.' });

const relatedGroupSchema = z
  .object({
    type: z.literal('group').describe('Tells groups from persons.'),
    id: z.string().describe('Key of the group.'),
    group_key: z.string().describe('Key of the group.'),
    group_type_index: index(),
    properties: z.record(z.string(), z.unknown()).describe('What is known of the group.'),
    created_at: created(),
  })
  .meta({ id: 'RelatedGroup', description: 'A group, where persons and groups are listed together.' });

export const relatedSchema = z.array(z.union([personSchema, relatedGroupSchema]));

export const definitionsSchema = z
  .record(
    z.string(),
    z.array(
      z.object({
        name: z.string().describe('Name of the property.'),
        count: z.int().describe('How many groups have it.'),
      }),
    ),
  )
  .describe('By group type index: the properties that its groups have.')
  .meta({ example: { '0': [{ name: 'industry', count: 2 }] } });

export const valuesSchema = z.array(z.object({ name: z.string().describe('The value, as text.') }));

/** A group type as responses show it. */
export const groupTypeSchema = z
  .object({
    group_type: z.string().describe('Name of the type, as events give it.'),
    group_type_index: index(),
    name_singular: z.string().nullable().describe('What people call one such group; null: by its type.'),
    name_plural: z.string().nullable().describe('What people call several; null: by its type.'),
    detail_dashboard: z.int().nullable().describe('The dashboard shown with a group of this type.'),
    default_columns: z.array(z.unknown()).nullable().describe('The properties shown in lists; null: the usual ones.'),
    created_at: z.iso.datetime().describe('When the type was first seen.'),
  })
  .meta({ id: 'GroupType', description: 'A kind of groups; a project has up to five.' });
