import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { ItemContext } from '../../access/index.js';
import { mountProjectRoutes, projectRoute } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import { ADMIN } from '../../kernel/rights.js';
import type { ActivityScope, RESOURCES } from './entry.js';
import { importedRow } from './imported-row.js';
import { importResponse, importSchema } from './imported-schema.js';
import { insertImportedActivities } from './store.js';

/** The log of one object, to import entries of another service into. */
interface ImportedActivity {
  /** Under the prefix of the project, such as `/feature_flags/:id/activity/`. */
  path: string;
  params: Record<string, z.ZodType>;
  scope: ActivityScope & keyof typeof RESOURCES;
  summary: string;
  /** Finds the object (404), checks that the caller may change it (403) and gives its id. */
  load: (context: ItemContext) => Promise<number>;
}

/**
 * Mounts `POST <path>`, which imports what happened to an object in another service. Such entries have no user of this service: they say who did it
 * in words, and who imported them when. For administrators, because they stand in the log among what happened here.
 */
export function mountImportedActivity(
  app: FastifyInstance,
  deps: Deps,
  { path, params, scope, summary, load }: ImportedActivity,
) {
  mountProjectRoutes(app, deps, [
    projectRoute({
      method: 'POST',
      path,
      params,
      scope: 'activity_log:write',
      summary,
      description:
        'The entries are marked as imported, with their author as text and with the user who sends them. Only administrators of the project may do so.',
      body: importSchema,
      status: 200,
      response: importResponse,
      load: async (context) => {
        const id = await load(context);
        if (context.level < ADMIN) {
          throw new ApiError('permission_denied', "You don't have sufficient permissions in the project.");
        }
        return id;
      },
      handle: async ({ deps, project, principal, body, loaded: itemId }) => {
        const at = new Date(deps.clock.now()).toISOString();
        const rows = body.entries.map((entry) => importedRow(entry, { project, scope, itemId, by: principal.userId, at }));
        const imported = await insertImportedActivities(deps.db, rows);
        return { imported, present: rows.length - imported };
      },
    }),
  ]);
}
