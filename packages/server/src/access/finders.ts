import type { ProjectContext } from '../auth/index.js';
import { requestsRestore } from '../http/asks-to-restore.js';
import { objectId } from '../http/ids.js';
import { ApiError } from '../kernel/errors.js';
import { type Access, type AccessContext, type AccessObject, accessOf } from './access.js';
import type { AccessResource } from './levels.js';

/** The context of a route whose path names an object as `:id`. */
export type ItemContext = ProjectContext & { params: Record<string, string> };

/** As {@link ItemContext}, for callers that have no request at hand. */
type ReaderContext = AccessContext & { params: Record<string, string> };

/** An object and the caller's access to objects of its kind. */
export interface Found<Row> {
  row: Row;
  access: Access;
}

interface FinderOptions<Row> {
  resource: AccessResource;
  /** Reads an object of the project, deleted or not. */
  read(context: AccessContext, id: number): Promise<Row | null | undefined>;
  /** Reads the object of a path segment that is not a number, for objects with a second key. */
  readByName?(context: AccessContext, segment: string): Promise<Row | null | undefined>;
  /** Refuses callers who may see the object but not change it. By default the access rules decide. @throws ApiError permission_denied */
  requireEditable?(context: ProjectContext, found: Found<Row>): void;
}

/**
 * Makes the functions that load the object of `params.id` for routes, so that every kind of object answers 404 and 403 by the same
 * rules: unknown and deleted objects are 404, hidden and read-only ones are 403, and 404 comes first.
 */
export function findersOf<Row extends AccessObject & { deleted: boolean }>({
  resource,
  read,
  readByName = async () => null,
  requireEditable = (_context, { row, access }) => access.requireOn(row, 'editor'),
}: FinderOptions<Row>) {
  async function readAny({ params, ...context }: ReaderContext, detail?: string): Promise<Row> {
    const segment = params['id'] ?? '';
    const id = objectId(segment);
    const row = await (id === null ? readByName(context, segment) : read(context, id));
    if (!row) throw new ApiError('not_found', detail);
    return row;
  }

  async function find(context: ReaderContext, detail?: string): Promise<Found<Row>> {
    const [row, access] = await Promise.all([readAny(context, detail), accessOf(context, resource)]);
    return { row, access };
  }

  return {
    /** Reads the object without asking the access rules. @throws ApiError not_found */
    readLive: async (context: ReaderContext): Promise<Row> => {
      const row = await readAny(context);
      if (row.deleted) throw new ApiError('not_found');
      return row;
    },

    /** Finds the object for a caller who may see it. `detail` replaces the text of the 404. @throws ApiError not_found, permission_denied */
    findVisible: async (context: ReaderContext, detail?: string): Promise<Found<Row>> => {
      const found = await find(context, detail);
      if (found.row.deleted) throw new ApiError('not_found', detail);
      found.access.requireOn(found.row, 'viewer');
      return found;
    },

    /**
     * Finds the object for a caller who may change it. Requests that restore (`deleted: false`) find deleted objects, others do not.
     * @throws ApiError not_found, permission_denied
     */
    findEditable: async (context: ItemContext): Promise<Found<Row>> => {
      const found = await find(context);
      if (found.row.deleted && !(await requestsRestore(context.request))) throw new ApiError('not_found');
      requireEditable(context, found);
      return found;
    },
  };
}
