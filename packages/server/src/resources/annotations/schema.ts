import { z } from 'zod';
import { bool, choice, dateTime, nullable, optional, text } from '../../http/atoms.js';
import { pageOf, pageParameters } from '../../http/pagination.js';
import { always, unsupported } from '../../http/unsupported.js';
import { userSchema } from '../../identity/index.js';

const CREATION_TYPES = ['USR', 'GIT'] as const;
const OF_PROJECT = 'Annotations are those of a project.';

/** The parameter of paths to one annotation. */
export const annotationParams = { id: z.string().describe('Number of the annotation.') };

export const listQuery = z.object({
  search: optional(text({ max: 400, blank: true })).describe('Only those with this text.'),
  ...pageParameters,
});

/** What an annotation is made with, and what may be changed of it. The order of the fields is that of their refusals. */
export const fieldsSchema = z
  .object({
    content: optional(nullable(text({ max: 8192, blank: true }))).describe('What happened.'),
    date_marker: optional(nullable(dateTime())).describe('When it happened.'),
    creation_type: optional(choice(CREATION_TYPES)).describe('Whether a person (`USR`) or a program (`GIT`) made it.'),
    scope: always('project', OF_PROJECT),
    dashboard_item: unsupported(OF_PROJECT),
    dashboard_id: unsupported(OF_PROJECT),
    deleted: optional(bool()).describe('True deletes the annotation, false restores it.'),
  })
  .meta({ example: { content: 'New pricing page', date_marker: '2026-02-01T09:00:00Z' } });
export type AnnotationFields = z.output<typeof fieldsSchema>;

const time = (description: string) => z.string().describe(description).meta({ format: 'date-time' });

/** An annotation as responses show it. */
export const annotationSchema = z
  .object({
    id: z.int().describe('Number of the annotation.'),
    content: z.string().nullable().describe('What happened.'),
    date_marker: time('When it happened.').nullable(),
    creation_type: z.enum(CREATION_TYPES).describe('Whether a person or a program made it.'),
    scope: z.literal('project').describe('Annotations are those of a project.'),
    dashboard_item: z.null().describe('Always null.'),
    dashboard_id: z.null().describe('Always null.'),
    created_by: userSchema.nullable().describe('Who made it; null when that user is gone.'),
    created_at: time('When it was made.'),
    updated_at: time('When it last changed.'),
    deleted: z.boolean().describe('Whether it is deleted; deleted ones can be restored.'),
  })
  .meta({ id: 'Annotation', description: 'A note on a moment, for whoever reads charts.' });

export const annotationPage = pageOf(annotationSchema);
