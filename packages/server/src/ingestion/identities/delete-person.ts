import type { Deps } from '../../deps.js';
import type { PersonOverrideRow, PersonRow } from '../../ports/events.js';
import { copyToEventStore } from '../writer/outbox.js';
import { personUuid } from './person-task.js';
import { deletePersons, distinctIdsOf, insertOutboxEntries, insertPurges, lockPersons } from './store.js';

/** The person to delete, as read before the transaction. */
interface PersonToDelete {
  id: number;
  uuid: string;
  isIdentified: boolean;
  /** Epoch milliseconds, UTC. */
  createdAt: number;
}

/**
 * Deletes a person and the links of its distinct ids. The events stay, as those of ids without a profile; a later event of such an id creates
 * a new person that owns them.
 * @param withEvents whether a job deletes the events stored until now
 * @returns false: another request deleted the person first
 */
export async function deletePerson(deps: Deps, projectId: number, person: PersonToDelete, withEvents: boolean): Promise<boolean> {
  const gone = await deps.db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (trx) => {
      const version = (await lockPersons(trx, [person.id])).get(person.id);
      if (version === undefined) return null;
      const distinctIds = await distinctIdsOf(trx, projectId, person.id);
      await deletePersons(trx, [person.id]);
      if (withEvents) await insertPurges(trx, projectId, distinctIds, new Date(deps.clock.now()));
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
      return { persons: [row], overrides, groups: [], outboxIds: await insertOutboxEntries(trx, [row], overrides) };
    });
  if (!gone) return false;
  await copyToEventStore(deps, gone, gone.outboxIds);
  return true;
}
