import { z } from 'zod';
import { CAN_EDIT, CAN_VIEW } from '../../../access/index.js';
import { userSchema } from '../../../auth/index.js';
import { timeSchema } from '../../../http/dates.js';
import { integerChoice, uuid } from '../../../http/fields.js';

const LEVEL = 'What the user may do with the dashboard while it is restricted: 21 view, 37 edit.';

/** The body of POST. */
export const collaboratorBody = z
  .object({
    level: integerChoice([CAN_VIEW, CAN_EDIT]).describe(LEVEL),
    user_uuid: uuid().describe('`uuid` of the user, who must have access to the project.'),
  })
  .meta({ example: { level: CAN_EDIT, user_uuid: '0197a3c1-5d6e-7b2f-9a31-4c8e2f60b7d1' } });
export type CollaboratorFields = z.output<typeof collaboratorBody>;

/** A collaborator as responses show them. */
export const collaboratorSchema = z
  .object({
    id: z.uuid().describe('Identifies the collaborator.'),
    dashboard_id: z.int().describe('The dashboard.'),
    user: userSchema.describe('The user whom the dashboard was opened to.'),
    level: z.union([z.literal(CAN_VIEW), z.literal(CAN_EDIT)]).describe(LEVEL),
    added_at: timeSchema('When the user was added.'),
    updated_at: timeSchema('When the level was last changed.'),
    user_uuid: z.uuid().describe('`uuid` of the user, by which the collaborator is removed.'),
  })
  .meta({ id: 'DashboardCollaborator', description: 'A user whom a restricted dashboard was opened to.' });
