import { z } from 'zod';
import { integer, list, text } from '../../../http/fields.js';
import { flagSchema } from '../schema.js';

export const copySchema = z
  .object({
    feature_flag_key: text({ max: 400 }).describe('Key of the flag.'),
    from_project: integer().describe('Number of the project to copy from.'),
    target_project_ids: list(integer())
      .transform((ids) => [...new Set(ids)])
      .describe('Numbers of the projects to copy to.'),
  })
  .meta({ example: { feature_flag_key: 'new-checkout', from_project: 1, target_project_ids: [2, 3] } });
export type CopyFields = z.output<typeof copySchema>;

export const copiedSchema = z.object({
  success: z.array(flagSchema.extend({ project_id: z.int().describe('Number of the project.') })).describe('The copied flags.'),
  failed: z
    .array(
      z.object({
        project_id: z.int().describe('Number of the project.'),
        error_message: z.string().describe('Why the copy failed.'),
      }),
    )
    .describe('Projects without a copy; nothing in them has changed.'),
});
