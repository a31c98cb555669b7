import type { Deps } from '../../deps.js';
import type { PersonOverrideRow, PersonRow } from '../../ports/events.js';
import { copyNow } from '../writer/copy-now.js';
import { noteRows } from './note-rows.js';
import { personUuid } from './person-uuid.js';
import { deletePersons, distinctIdsOf, lockPersons, noteErased } from './store.js';

/** The person to delete, as read before. */
interface Doomed {
  id: number;
  uuid: string;
  isIdentified: boolean;
  /** Epoch milliseconds, UTC. */
  createdAt: number;
}

/**
 * Deletes a person and lets go of the distinct ids. The events stay: they read as those of ids without a profile, and an
 * id that is seen again makes a new person that has them. `withEvents`: a job deletes those that have come until now. Resolves to
 * false when somebody else was faster.
 */
export async function deletePerson(deps: Deps, projectId: number, person: Doomed, withEvents: boolean): Promise<boolean> {
  const gone = await deps.db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (trx) => {
      const version = (await lockPersons(trx, [person.id])).get(person.id);
      if (version === undefined) return null;
      const distinctIds = await distinctIdsOf(trx, projectId, person.id);
      await deletePersons(trx, [person.id]);
      if (withEvents) await noteErased(trx, projectId, distinctIds, new Date(deps.clock.now()));
      const row: PersonRow = {
        project_id: projectId,
        person_id: person.uuid,
        properties: {},
        is_identified: person.isIdentified,
        is_deleted: true,
        created_at: person.createdAt,
        version: version + 1,
      };
      const overrides = distinctIds.flatMap(({ distinct_id, version }): PersonOverrideRow[] => {
        const own = personUuid(projectId, distinct_id);
        return own === person.uuid ? [] : [{ project_id: projectId, distinct_id, person_id: own, version: version + 1 }];
      });
      return { persons: [row], overrides, groups: [], outboxIds: await noteRows(trx, [row], overrides) };
    });
  if (!gone) return false;
  await copyNow(deps, gone, gone.outboxIds);
  return true;
}
