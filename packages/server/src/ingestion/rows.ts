import type { EncodedProperties, EventRow } from '../ports/events.js';
import type { GroupKeys } from './groups/types.js';
import type { ResolvedPerson } from './identities/types.js';
import type { EventContext } from './stages/index.js';

/** A row of `events` with encoded properties. */
export type EncodedEvent = Omit<EventRow, 'properties'> & { properties: EncodedProperties };

/** The columns of `events` that an event context lacks. */
interface RowParts {
  person: ResolvedPerson;
  groups: GroupKeys;
  /** Epoch milliseconds. */
  insertedAt: number;
  properties: EncodedProperties;
}

/** The row of an event for the event store. */
export function eventRow(context: EventContext, { person, groups, insertedAt, properties }: RowParts): EncodedEvent {
  return {
    project_id: context.project.id,
    uuid: context.uuid,
    event: context.event,
    distinct_id: context.distinctId,
    person_id: person.personId,
    person_mode: person.mode,
    timestamp: context.timestamp,
    inserted_at: insertedAt,
    elements_chain: context.elementsChain,
    group_0: groups[0],
    group_1: groups[1],
    group_2: groups[2],
    group_3: groups[3],
    group_4: groups[4],
    properties,
  };
}
