import { z } from 'zod';
import { bool, choice, nullable, optional, text } from '../../http/fields.js';
import { pageOf } from '../../http/pagination.js';
import { TEMPLATE_TEXTS, templateFields, templateSchema } from './template.js';

/** Scopes that a template of a project can have. */
const SCOPES = ['team', 'feature_flag'] as const;

const SCOPE_TEXT =
  '`team`: for dashboards of the project; `feature_flag`: for dashboards about the use of a feature flag; `global`: of the whole instance, read-only.';
const IMAGE_TEXT = 'Address of a picture that shows what the dashboard looks like.';

const imageUrl = text({ max: 8201 }).transform((url, ctx) => {
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  ctx.addIssue({ code: 'custom', message: 'Enter a valid URL.', params: { code: 'invalid_input' }, input: url });
  return z.NEVER;
});

const own = {
  image_url: optional(nullable(imageUrl)).describe(IMAGE_TEXT),
  scope: optional(choice(SCOPES)).describe(SCOPE_TEXT),
};

/** The body of POST. */
export const createSchema = z.object({ ...templateSchema.shape, ...own }).meta({
  example: {
    template_name: 'Weekly numbers',
    tiles: [{ type: 'TEXT', body: 'What we look at on Mondays.', layouts: { sm: { x: 0, y: 0, w: 6, h: 2 } } }],
  },
});
export type TemplateFields = z.output<typeof createSchema>;

/** The body of PATCH. */
export const patchSchema = z
  .object({
    template_name: optional(templateFields.template_name).describe(TEMPLATE_TEXTS.template_name),
    dashboard_description: optional(templateFields.dashboard_description).describe(TEMPLATE_TEXTS.dashboard_description),
    dashboard_filters: optional(templateFields.dashboard_filters).describe(TEMPLATE_TEXTS.dashboard_filters),
    tags: optional(templateFields.tags).describe(TEMPLATE_TEXTS.tags),
    tiles: optional(templateFields.tiles).describe(TEMPLATE_TEXTS.tiles),
    variables: optional(templateFields.variables).describe(TEMPLATE_TEXTS.variables),
    ...own,
    deleted: optional(bool()).describe('True deletes the template softly, false restores it.'),
  })
  .meta({ example: { dashboard_description: 'What we look at on Mondays.' } });
export type TemplateChange = z.output<typeof patchSchema>;

const word = (max: number) => optional(text({ max, blank: true }));

/** Query parameters of the list. */
export const listQuery = z.object({
  scope: word(100).describe(
    'Only these: `team` the project’s own, `global` those of the whole instance, `feature_flag` those for feature flags.',
  ),
  search: word(1000).describe('Part of the name or description, or a whole tag, in any case.'),
});
export type ListQuery = z.output<typeof listQuery>;

const free = z.record(z.string(), z.unknown());

/** A template as responses show it. */
export const responseSchema = z
  .object({
    id: z.uuid().describe('Identifies the template.'),
    template_name: z.string().describe(TEMPLATE_TEXTS.template_name),
    dashboard_description: z.string().describe(TEMPLATE_TEXTS.dashboard_description),
    dashboard_filters: free.describe(TEMPLATE_TEXTS.dashboard_filters),
    tags: z.array(z.string()).describe(TEMPLATE_TEXTS.tags),
    tiles: z.array(free).describe(TEMPLATE_TEXTS.tiles),
    variables: z.array(free).describe(TEMPLATE_TEXTS.variables),
    deleted: z.boolean().describe('Whether it is deleted; deleted ones can be restored.'),
    created_at: z.string().nullable().describe('When it was made; null for built-in ones.').meta({ format: 'date-time' }),
    created_by: z.int().nullable().describe('Number of the user who made it; null for built-in ones and users who are gone.'),
    image_url: z.string().nullable().describe(IMAGE_TEXT),
    team_id: z.int().nullable().describe('The project; null for templates of the whole instance.'),
    scope: z.enum(['team', 'global', 'feature_flag']).describe(SCOPE_TEXT),
  })
  .meta({ id: 'DashboardTemplate', description: 'A dashboard as data, to make dashboards from.' });

export const templatePage = pageOf(responseSchema);
