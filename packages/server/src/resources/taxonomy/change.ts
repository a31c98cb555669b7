import { type ItemContext, requireResourceLevel } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { uuid } from '../../http/fields.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { byCaller, changesBetween, recordActivity } from '../activity/index.js';
import type { DefinitionChange } from './schema.js';
import {
  type DefinitionTable,
  type DescriptionFields,
  findEvent,
  findProperty,
  lockDefinition,
  updateDefinition,
} from './store.js';
import type { EventDefinition, PropertyDefinition } from './view.js';

/** One of the two kinds of definitions. */
interface Definitions<Row> {
  table: DefinitionTable;
  scope: 'EventDefinition' | 'PropertyDefinition';
  resource: 'event_definition' | 'property_definition';
  find(db: Db, projectId: number, id: string): Promise<Row | undefined>;
}

export const EVENT_DEFINITIONS: Definitions<EventDefinition> = {
  table: 'event_definitions',
  scope: 'EventDefinition',
  resource: 'event_definition',
  find: findEvent,
};

export const PROPERTY_DEFINITIONS: Definitions<PropertyDefinition> = {
  table: 'property_definitions',
  scope: 'PropertyDefinition',
  resource: 'property_definition',
  find: findProperty,
};

/** Makes the loader of the definition of `params.id`, for callers with this level. @throws ApiError permission_denied, not_found */
export const definitionLoader =
  <Row>({ resource, find }: Definitions<Row>, level: 'viewer' | 'editor') =>
  async (context: ItemContext): Promise<Row> => {
    await requireResourceLevel(resource, level)(context);
    const id = uuid().safeParse(context.params['id']);
    const row = id.success ? await find(context.deps.db, context.project.id, id.data) : undefined;
    if (!row) throw new ApiError('not_found');
    return row;
  };

const LOGGED = ['description', 'tags', 'verified', 'hidden'] as const;

/** Stores what a request says about a definition. @throws ApiError invalid_input: verified and hidden; not_found */
export function changeDefinition<Row extends EventDefinition | PropertyDefinition>(
  context: ProjectContext,
  { table, scope, find }: Definitions<Row>,
  id: string,
  change: DefinitionChange,
): Promise<Row> {
  const { deps, project, principal } = context;
  return inTransaction(deps.db, async (tx) => {
    await lockDefinition(tx, table, project.id, id);
    const before = await find(tx, project.id, id);
    if (!before) throw new ApiError('not_found');
    const fields = changedFields(before, change, principal.userId, new Date(deps.clock.now()));
    const after = { ...before, ...fields };
    if (after.verified && after.hidden) {
      throw new ApiError(
        'invalid_input',
        'A definition cannot be both hidden and verified.',
        change.hidden ? 'hidden' : 'verified',
      );
    }
    const changes = changesBetween(scope, before, after, LOGGED);
    if (changes.length === 0) return before;
    await updateDefinition(tx, table, project.id, id, fields);
    const type = 'type' in before ? before.type : null;
    const entry = { ...byCaller(context), activity: 'updated' as const, scope, itemId: id };
    await recordActivity(tx, deps, { ...entry, detail: { name: before.name, type, changes } });
    return after;
  });
}

function changedFields(before: DescriptionBefore, change: DefinitionChange, userId: number, now: Date): DescriptionFields {
  const { description, tags, verified = before.verified, hidden = before.hidden } = change;
  const verification =
    verified === before.verified
      ? { verified_at: before.verified_at, verified_by: before.verified_by }
      : { verified_at: verified ? now : null, verified_by: verified ? userId : null };
  return {
    description: description === undefined ? before.description : (description ?? ''),
    tags: tags ?? before.tags,
    verified,
    ...verification,
    hidden,
    updated_at: now,
    updated_by: userId,
  };
}

type DescriptionBefore = Pick<EventDefinition, 'description' | 'tags' | 'verified' | 'verified_at' | 'verified_by' | 'hidden'>;
