import type { Db } from '../../ports/db.js';
import { displayNameProperties, findPersonsByUuid } from './store.js';
import { nameProperties, type PersonView, personView } from './view.js';

/** The persons among these uuids as the API shows them, newest first. */
export async function showPersons(db: Db, projectId: number, uuids: readonly string[]): Promise<PersonView[]> {
  const [rows, names] = await Promise.all([findPersonsByUuid(db, projectId, uuids), displayNameProperties(db, projectId)]);
  return rows.map((row) => personView(row, nameProperties(names)));
}
