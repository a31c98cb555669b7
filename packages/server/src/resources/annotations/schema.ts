import { z } from 'zod';
import { userSchema } from '../../auth/index.js';
import { timeSchema } from '../../http/dates.js';
import { bool, choice, dateTime, integer, nullable, optional, primaryKey, text } from '../../http/fields.js';
import { pageOf, pageParameters } from '../../http/pagination.js';

const CREATION_TYPES = ['USR', 'GIT'] as const;
const SCOPES = ['dashboard_item', 'dashboard', 'project', 'organization'] as const;
export type AnnotationScope = (typeof SCOPES)[number];

/** The parameter of paths to one annotation. */
export const annotationParams = { id: z.string().describe('Number of the annotation.') };

/** Query parameters of the list. */
export const listQuery = z.object({
  search: optional(text({ max: 400, blank: true })).describe('Only those with this text.'),
  scope: optional(choice(SCOPES)).describe('Only those of this scope.'),
  dashboard_item: optional(integer()).describe('Only those made on the insight with this number.'),
  dashboard_id: optional(integer()).describe('Only those made on the dashboard with this number.'),
  ...pageParameters,
});

/** The body of POST, PATCH and PUT. Fields are validated in this order, and the first error is the response. */
export const fieldsSchema = z
  .object({
    content: optional(nullable(text({ max: 8192, blank: true }))).describe('What happened.'),
    date_marker: optional(nullable(dateTime())).describe('When it happened.'),
    creation_type: optional(choice(CREATION_TYPES)).describe('Whether a person (`USR`) or a program (`GIT`) made it.'),
    scope: optional(choice(SCOPES)).describe(
      'What it is about: an insight (`dashboard_item`), a dashboard, the project, or all projects of the organization. If left out, the insight or dashboard that is named, or the project.',
    ),
    dashboard_item: optional(nullable(primaryKey())).describe('Number of the insight on which it is made.'),
    dashboard_id: optional(nullable(primaryKey())).describe('Number of the dashboard on which it is made.'),
    deleted: optional(bool()).describe('True deletes the annotation, false restores it.'),
  })
  .meta({ example: { content: 'New pricing page', date_marker: '2026-02-01T09:00:00Z' } });
export type AnnotationFields = z.output<typeof fieldsSchema>;

/** An annotation as responses show it. */
export const annotationSchema = z
  .object({
    id: z.int().describe('Number of the annotation.'),
    content: z.string().nullable().describe('What happened.'),
    date_marker: timeSchema('When it happened.').nullable(),
    creation_type: z.enum(CREATION_TYPES).describe('Whether a person or a program made it.'),
    scope: z
      .enum(SCOPES)
      .describe('What it is about: an insight (`dashboard_item`), a dashboard, the project, or the organization.'),
    dashboard_item: z.int().nullable().describe('Number of the insight on which it was made; null: none, or a hidden one.'),
    insight_short_id: z.string().nullable().describe('Short id of that insight.'),
    insight_name: z.string().nullable().describe('Name of that insight.'),
    insight_derived_name: z.string().nullable().describe('Name that the query of that insight gives it.'),
    dashboard_id: z.int().nullable().describe('Number of the dashboard on which it was made; null: none, or a hidden one.'),
    dashboard_name: z.string().nullable().describe('Name of that dashboard.'),
    created_by: userSchema.nullable().describe('Who made it; null when that user is gone.'),
    created_at: timeSchema('When it was made.'),
    updated_at: timeSchema('When it last changed.'),
    deleted: z.boolean().describe('Whether it is deleted; deleted ones can be restored.'),
  })
  .meta({ id: 'Annotation', description: 'A note on a moment, which charts show.' });

export const annotationPage = pageOf(annotationSchema);
