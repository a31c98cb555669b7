import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ItemContext } from '../../access/index.js';
import { mountProjectRoutes, projectRoute } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { choice, dateTime, list, nullable, optional, text } from '../../http/fields.js';
import { storableJson } from '../../http/json-column.js';
import { ApiError } from '../../kernel/errors.js';
import { ADMIN } from '../../kernel/rights.js';
import { nameUuid } from '../../name-uuid.js';
import { type ActivityScope, loggedValue, RESOURCES } from './entry.js';
import { BATCH, insertImportedActivities } from './store.js';

const NAMESPACE = Buffer.from('4be2d1c09a7f5e3381c7d24f60b9ae15', 'hex');

const importedChange = z.object({
  action: choice(['changed', 'created', 'deleted']).describe(
    '`created`: nothing was there before; `deleted`: there is none now.',
  ),
  field: text({ max: 400 }).describe('The field.'),
  before: z.unknown().describe('What it was.'),
  after: z.unknown().describe('What it became.'),
});

const importedEntry = z.object({
  id: text({ max: 400 }).describe('Its id in the other service. An entry that was imported before is not imported again.'),
  author: optional(nullable(text({ max: 400 }))).describe('Who did it, in words of the other service; null for nobody.'),
  activity: text({ max: 100 }).describe('What happened, such as `updated`.'),
  created_at: dateTime().describe('When it happened.'),
  name: optional(nullable(text({ max: 400 }))).describe('What the object was called.'),
  changes: optional(list(importedChange)).describe('What changed.'),
});

const bodySchema = z
  .object({
    entries: list(importedEntry)
      .refine((entries) => entries.length <= BATCH, {
        message: `Expected at most ${BATCH} entries.`,
        params: { code: 'invalid_input' },
      })
      .describe(`The entries, ${BATCH} at most.`),
  })
  .meta({
    example: {
      entries: [
        {
          id: '018bcfe5-6800-7000-8000-000000000000',
          author: 'ada@example.com',
          activity: 'updated',
          created_at: '2024-05-01T10:00:00Z',
          name: 'new-cart',
          changes: [{ action: 'changed', field: 'active', before: false, after: true }],
        },
      ],
    },
  });

const response = z.object({
  imported: z.int().describe('Entries that are new.'),
  present: z.int().describe('Entries that were imported before.'),
});

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
      body: bodySchema,
      status: 200,
      response,
      load: async (context) => {
        const id = await load(context);
        if (context.level < ADMIN) {
          throw new ApiError('permission_denied', "You don't have sufficient permissions in the project.");
        }
        return id;
      },
      handle: async ({ deps, project, principal, body, loaded: itemId }) => {
        const at = new Date(deps.clock.now()).toISOString();
        const rows = body.entries.map(({ id, author = null, activity, created_at, name = null, changes = [] }) => ({
          id: nameUuid(NAMESPACE, JSON.stringify([project.id, scope, itemId, id])),
          organization_id: project.organizationId,
          project_id: project.id,
          user_id: null,
          activity,
          scope,
          item_id: String(itemId),
          resource: RESOURCES[scope],
          resource_id: itemId,
          detail: storableJson(
            JSON.stringify({
              name,
              short_id: null,
              changes: changes.map(({ action, field, before, after }) => ({
                type: scope,
                action,
                field,
                before: loggedValue(field, before ?? null),
                after: loggedValue(field, after ?? null),
              })),
              trigger: null,
              type: null,
              imported: { author, by: principal.userId, at },
            }),
          ),
          created_at,
        }));
        const imported = await insertImportedActivities(deps.db, rows);
        return { imported, present: rows.length - imported };
      },
    }),
  ]);
}
