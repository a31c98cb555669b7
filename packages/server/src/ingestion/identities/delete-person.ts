import type { Deps } from '../../deps.js';
import type { DbTransaction } from '../../ports/db.js';
import type { PersonOverrideToInsert, PersonRow } from '../../ports/events.js';
import { copyToEventStore } from '../writer/outbox.js';
import { personUuid } from './person-task.js';
import { deletePersons, distinctIdsOf, insertOutboxEntries, insertPurges, lockPersons } from './store.js';

/** The person to delete, as read before the transaction. */
export interface PersonToDelete {
  id: number;
  uuid: string;
  isIdentified: boolean;
  /** Epoch milliseconds, UTC. */
  createdAt: number;
}

/**
 * Deletes a person and the links of its distinct ids. The events stay, as those of ids without a profile; a later event of such an id creates
 * a new person that owns them.
 * A job deletes the profile from the event store and, `withEvents`, the events stored until now.
 * @param also what else is deleted in the same transaction, by the distinct ids of the person
 * @returns false: another request deleted the person first
 */
export async function deletePerson(
  deps: Deps,
  projectId: number,
  person: PersonToDelete,
  { withEvents, also }: { withEvents: boolean; also?: (trx: DbTransaction, distinctIds: readonly string[]) => Promise<unknown> },
): Promise<boolean> {
  const readAt = deps.scheduler.uptime();
  const gone = await deps.db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (trx) => {
      const version = (await lockPersons(trx, [person.id])).get(person.id);
      if (version === undefined) return null;
      const distinctIds = await distinctIdsOf(trx, projectId, person.id);
      await deletePersons(trx, [person.id]);
      const ids = distinctIds.map(({ distinct_id }) => distinct_id);
      await also?.(trx, ids);
      await insertPurges(trx, projectId, { uuid: person.uuid, distinctIds: ids, withEvents }, new Date(deps.clock.now()));
      const row: PersonRow = {
        project_id: projectId,
        person_id: person.uuid,
        properties: {},
        is_identified: person.isIdentified,
        is_deleted: true,
        created_at: person.createdAt,
        version: version + 1,
      };
      const overrides = distinctIds.flatMap(({ distinct_id, version }): PersonOverrideToInsert[] => {
        const own = personUuid(projectId, distinct_id);
        if (own === person.uuid) return [];
        const former_person_ids = [person.uuid];
        return [{ project_id: projectId, distinct_id, person_id: own, version: version + 1, former_person_ids }];
      });
      return { persons: [row], overrides, groups: [], readAt, outboxIds: await insertOutboxEntries(trx, [row], overrides) };
    });
  if (!gone) return false;
  await copyToEventStore(deps, gone, gone.outboxIds);
  return true;
}
