import { sql } from 'kysely';
import { searchPeople } from '../../analytics/index.js';
import type { Deps } from '../../deps.js';
import { uuid } from '../../http/fields.js';
import type { Page } from '../../http/pagination.js';
import type { Db } from '../../ports/db.js';
import type { PersonQuery } from './schema.js';

type Stores = Pick<Deps, 'db' | 'events'>;

/** Number of distinct ids of a person in a response. */
const MAX_SHOWN_IDS = 1000;

const persons = (db: Db, projectId: number) =>
  db
    .selectFrom('persons')
    .select(['id', 'uuid', 'properties', 'is_identified', 'created_at'])
    .select((eb) =>
      sql<string[]>`array(${eb
        .selectFrom('person_distinct_ids as d')
        .select('d.distinct_id')
        .whereRef('d.person_id', '=', 'persons.id')
        .orderBy('d.created_at')
        .orderBy('d.distinct_id')
        .limit(MAX_SHOWN_IDS)})`.as('distinct_ids'),
    )
    .where('project_id', '=', projectId);

/** A person with their distinct ids. */
export type PersonRecord = Awaited<ReturnType<ReturnType<typeof persons>['execute']>>[number];

/** Lists persons, newest first; one more than `limit` shows that there is another page. */
export async function listPersons(
  { db, events }: Stores,
  projectId: number,
  query: PersonQuery,
  page: Page,
  signal?: AbortSignal,
): Promise<PersonRecord[]> {
  const { distinct_id: distinctId, email, search: given } = query;
  const search = given?.trim();
  const own = distinctId ? await uuidsOf(db, projectId, distinctId) : null;
  if (own?.length === 0) return [];
  // the event store reads a property of all persons much faster than PostgreSQL, which would have to read their other properties, too
  if (email || search) {
    const named = search ? { text: search, ids: [...(await uuidsOf(db, projectId, search)), ...asUuids(search)] } : null;
    return findPersonsByUuid(db, projectId, await searchPeople(events, projectId, { ids: own, email, named }, page, signal));
  }
  let found = db.selectFrom('persons').select('id').where('project_id', '=', projectId);
  if (own) found = found.where('uuid', 'in', own);
  // the page is chosen by ids alone, so that the rows before it are only counted
  const ids = found
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .offset(page.offset);
  return persons(db, projectId).where('id', 'in', ids).orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
}

/** A text, if it is a UUID. */
function asUuids(text: string): string[] {
  const parsed = uuid().safeParse(text);
  return parsed.success ? [parsed.data] : [];
}

/** The UUID of the person with a distinct id; none if nobody has it. */
async function uuidsOf(db: Db, projectId: number, distinctId: string): Promise<string[]> {
  const found = await db
    .selectFrom('person_distinct_ids as d')
    .innerJoin('persons as p', 'p.id', 'd.person_id')
    .select('p.uuid')
    .where('d.project_id', '=', projectId)
    .where('d.distinct_id', '=', distinctId)
    .execute();
  return found.map(({ uuid }) => uuid);
}

export async function findPersonById(db: Db, projectId: number, id: number): Promise<PersonRecord | undefined> {
  return persons(db, projectId).where('id', '=', id).executeTakeFirst();
}

export async function findPersonByUuid(db: Db, projectId: number, uuid: string): Promise<PersonRecord | undefined> {
  return persons(db, projectId).where('uuid', '=', uuid).executeTakeFirst();
}

/** Reads persons by their UUIDs, newest first. Unknown ones are left out. */
export async function findPersonsByUuid(db: Db, projectId: number, uuids: readonly string[]): Promise<PersonRecord[]> {
  if (uuids.length === 0) return [];
  return persons(db, projectId)
    .where((w) => w('uuid', '=', w.fn.any(w.val(uuids))))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Reads the project's setting of the properties that name a person. */
export async function displayNameProperties(db: Db, projectId: number): Promise<unknown> {
  const project = await db
    .selectFrom('projects')
    .select(sql<unknown>`settings -> 'person_display_name_properties'`.as('names'))
    .where('id', '=', projectId)
    .executeTakeFirst();
  return project?.names;
}
