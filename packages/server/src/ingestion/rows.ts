import type { EncodedProperties, EventRow } from '../ports/events.js';
import type { GroupAnswer } from './groups/types.js';
import type { PersonAnswer } from './identities/types.js';
import type { Draft } from './stages/index.js';

/** A row of `events` with encoded properties. */
export type EncodedEvent = Omit<EventRow, 'properties'> & { properties: EncodedProperties };

/** What a draft lacks of a row of `events`. */
interface RowParts {
  person: PersonAnswer;
  groups: GroupAnswer;
  /** Epoch milliseconds. */
  insertedAt: number;
  properties: EncodedProperties;
}

/** The row of an event. */
export function eventRow(draft: Draft, { person, groups, insertedAt, properties }: RowParts): EncodedEvent {
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
    properties,
  };
}
