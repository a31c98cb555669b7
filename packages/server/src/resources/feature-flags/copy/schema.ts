import { z } from 'zod';
import { integer, list, text } from '../../../http/fields.js';
import { flagSchema } from '../response.js';

export const copySchema = z
  .object({
    feature_flag_key: text({ max: 400 }).describe('Key of the flag.'),
    from_project: integer().describe('The project that has it.'),
    target_project_ids: list(integer())
      .transform((ids) => [...new Set(ids)])
      .describe('The projects that shall have it, too.'),
  })
  .meta({ example: { feature_flag_key: 'new-checkout', from_project: 1, target_project_ids: [2, 3] } });
export type CopyFields = z.output<typeof copySchema>;

export const copiedSchema = z.object({
  success: z
    .array(flagSchema.extend({ project_id: z.int().describe('The project that has it now.') }))
    .describe('The flags as they are now in the other projects.'),
  failed: z
    .array(
      z.object({
        project_id: z.int().describe('The project.'),
        error_message: z.string().describe('Why the flag is not there.'),
      }),
    )
    .describe('Projects that did not get it; nothing of them has changed.'),
});
