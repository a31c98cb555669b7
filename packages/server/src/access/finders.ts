import type { ProjectContext } from '../auth/index.js';
import { requestsRestore } from '../http/body.js';
import { ApiError } from '../kernel/errors.js';
import { objectId } from '../kernel/ids.js';
import { type Access, type AccessContext, type AccessObject, accessOf } from './access.js';
import type { AccessResource } from './levels.js';

/** The context of a route whose path names an object as `:id`. */
export type ItemContext = ProjectContext & { params: Record<string, string> };

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
 * Makes the functions that find an object for a route, so that every kind of object answers 404 and 403 by the same rules: unknown
 * and deleted objects are 404, hidden and read-only ones are 403, and 404 comes first. Rows without `deleted` are deleted for good.
 */
export function findersOf<Row extends AccessObject & { deleted?: boolean }>({
  resource,
  read,
  readByName = async () => null,
  requireEditable = (_context, { row, access }) => access.requireOn(row, 'editor'),
}: FinderOptions<Row>) {
  async function readAny(context: AccessContext, segment: string, detail?: string): Promise<Row> {
    const id = objectId(segment);
    const row = await (id === null ? readByName(context, segment) : read(context, id));
    if (!row) throw new ApiError('not_found', detail);
    return row;
  }

  async function readWithAccess(context: AccessContext, segment: string, detail?: string): Promise<Found<Row>> {
    const [row, access] = await Promise.all([readAny(context, segment, detail), accessOf(context, resource)]);
    return { row, access };
  }

  async function find(context: AccessContext, segment: string, detail?: string): Promise<Found<Row>> {
    const found = await readWithAccess(context, segment, detail);
    if (found.row.deleted) throw new ApiError('not_found', detail);
    found.access.requireOn(found.row, 'viewer');
    return found;
  }

  return {
    /** Finds the object of a path segment for a caller who may see it. `detail` replaces the text of the 404. @throws ApiError not_found, permission_denied */
    find,

    /** As `find`, for the object of `params.id`. */
    findVisible: (context: ItemContext): Promise<Found<Row>> => find(context, idOf(context)),

    /**
     * Finds the object of `params.id` for a caller who may change it. Requests that restore (`deleted: false`) find deleted objects,
     * others do not.
     * @throws ApiError not_found, permission_denied
     */
    findEditable: async (context: ItemContext): Promise<Found<Row>> => {
      const found = await readWithAccess(context, idOf(context));
      if (found.row.deleted && !(await requestsRestore(context.request))) throw new ApiError('not_found');
      requireEditable(context, found);
      return found;
    },

    /** Reads the object of `params.id` without asking the access rules. @throws ApiError not_found */
    readLive: async (context: ItemContext): Promise<Row> => {
      const row = await readAny(context, idOf(context));
      if (row.deleted) throw new ApiError('not_found');
      return row;
    },
  };
}

const idOf = ({ params }: ItemContext): string => params['id'] ?? '';
