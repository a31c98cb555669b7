import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import { likePattern } from '../../kernel/sql.js';
import type { DB, Db } from '../../ports/db.js';
import type { PersonQuery } from './schema.js';

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
export type PersonRecord = Awaited<ReturnType<typeof listPersons>>[number];

/** Lists persons, newest first; one more than `limit` shows that there is another page. */
export async function listPersons(db: Db, projectId: number, query: PersonQuery, page: Page) {
  // the page is chosen by ids alone, so that the rows before it are only counted
  let found = db.selectFrom('persons').select('id').where('project_id', '=', projectId);
  const { distinct_id, email, search } = query;
  if (distinct_id) found = found.where((eb) => hasDistinctId(eb, projectId, distinct_id));
  if (email) found = found.where(sql<SqlBool>`properties ->> 'email' = ${email}`);
  if (search) found = found.where((eb) => matches(eb, projectId, search.trim()));
  const ids = found
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .offset(page.offset);
  return persons(db, projectId).where('id', 'in', ids).orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
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

type Where = ExpressionBuilder<DB, 'persons'>;

function hasDistinctId(eb: Where, projectId: number, distinctId: string): ExpressionWrapper<DB, 'persons', SqlBool> {
  return eb(
    'id',
    '=',
    eb
      .selectFrom('person_distinct_ids')
      .select('person_id')
      .where('project_id', '=', projectId)
      .where('distinct_id', '=', distinctId),
  );
}

/** The condition of a search: part of the e-mail address or name in any case, or a whole distinct id or UUID. */
function matches(eb: Where, projectId: number, search: string) {
  const part = likePattern(search);
  return eb.or([
    hasDistinctId(eb, projectId, search),
    sql<SqlBool>`properties ->> 'email' ilike ${part}`,
    sql<SqlBool>`properties ->> 'name' ilike ${part}`,
    sql<SqlBool>`uuid::text = ${search.toLowerCase()}`,
  ]);
}
