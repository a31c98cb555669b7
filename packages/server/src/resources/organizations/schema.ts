import { z } from 'zod';
import { bool, email, integer, integerChoice, list, nullable, optional, text } from '../../http/atoms.js';
import { ADMIN, MEMBER, OWNER } from '../../kernel/levels.js';

const name = text({ max: 64 });
export const createSchema = z.object({ name });
export const patchSchema = z.object({
  name: optional(name).describe('Name.'),
  allow_publicly_shared_resources: optional(bool()).describe('Whether dashboards and insights may be shared with the public.'),
});

const level = integerChoice([MEMBER, ADMIN, OWNER]);
export const memberSchema = z.object({ level: optional(level), is_active: optional(bool()) });

const projectAccess = z.object({ id: integer(), level: integerChoice([MEMBER, ADMIN]) });

export const inviteSchema = z.object({
  target_email: email(),
  first_name: optional(text({ max: 30, blank: true })),
  level: optional(level),
  message: optional(nullable(text({ max: 10_000, blank: true }))),
  private_project_access: optional(nullable(list(projectAccess))),
});
export const bulkSchema = list(inviteSchema);

export type InviteFields = z.output<typeof inviteSchema>;
