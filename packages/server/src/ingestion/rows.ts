import type { EventRow } from '../ports/events.js';
import type { GroupAnswer } from './groups/types.js';
import type { PersonAnswer } from './identities/types.js';
import type { Draft } from './stages/index.js';

/** A row of `events` before its properties. */
export type RowHead = Omit<EventRow, 'properties'>;

/** The columns of an event. `insertedAt`: epoch milliseconds. */
export function rowHead(draft: Draft, person: PersonAnswer, groups: GroupAnswer, insertedAt: number): RowHead {
  return {
    project_id: draft.project.id,
    uuid: draft.uuid,
    event: draft.event,
    distinct_id: draft.distinctId,
    person_id: person.personId,
    person_mode: person.mode,
    timestamp: draft.timestamp,
    inserted_at: insertedAt,
    elements_chain: draft.elementsChain,
    group_0: groups[0],
    group_1: groups[1],
    group_2: groups[2],
    group_3: groups[3],
    group_4: groups[4],
  };
}
