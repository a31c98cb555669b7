import { z } from 'zod';
import { userSchema } from '../../auth/index.js';
import { timeSchema } from '../../http/dates.js';
import { text, uuid } from '../../http/fields.js';

/** How long a lease is valid from when it is taken or renewed; seconds. */
export const LEASE_SECONDS = 60;

/** Body of POST. */
export const takeSchema = z
  .object({
    holder: uuid().describe(
      'A UUID that the import has chosen for itself. An import that comes again with it gets the project at once.',
    ),
    subject: text({ max: 400 }).describe('What is imported, for people whose import is refused.'),
  })
  .meta({
    example: { holder: '0197a3c1-5d6e-7b2f-9a31-4c8e2f60b7d1', subject: 'https://eu.posthog.com project 1 (Shop)' },
  });

/** The parameter of a path. */
export const leaseParams = { id: z.uuid().describe('Of the lease, from the response that gave it.') };

/** Of a lease that is given, and of the one that stands against it. */
export const leaseSchema = z
  .object({
    id: z.uuid().describe('Of this taking: the same import gets another when it takes the lease again.'),
    subject: z.string().describe('What is imported.'),
    taken_by: userSchema.nullable().describe('Who runs the import; null: that user is gone.'),
    taken_at: timeSchema('When the import took the project.'),
    expires_at: timeSchema('Until when it has the project, if it does not renew the lease.'),
  })
  .meta({ id: 'ImportLease', description: 'The import of objects that has a project for itself.' });
