import type { EventsStore } from '../ports/events.js';
import { createExecute } from './execute.js';
import { bound, type Fragment, identifier, joining, sql } from './sql/fragment.js';
import { PERSON_ID } from './sql/person-id.js';
import { selectFromEvents } from './sql/source.js';

/** The person (uuid) or group (`key` of the type `index`) whose relations are requested. */
export type RelatedSubject = { person: string } | { index: number; key: string };

/** Persons and groups that share events with the subject. */
export interface Related {
  /** Uuids of persons with a profile. Empty for a person: an event has one person only. */
  persons: string[];
  /** Group keys, by group type index. */
  groups: Map<number, string[]>;
}

const INDEXES = [0, 1, 2, 3, 4];

/**
 * Finds the persons and groups that occur in events together with a person or group, up to 1000 of each kind, in no order.
 * @throws ApiError invalid_input when the events are too many to look through
 */
export async function findRelated(
  events: EventsStore,
  projectId: number,
  to: RelatedSubject,
  signal?: AbortSignal,
): Promise<Related> {
  const others = INDEXES.filter((index) => !('index' in to && to.index === index));
  const [row] = await createExecute(events, projectId, signal)<Record<string, string[]>>(relatedStatement(projectId, to, others));
  return {
    persons: row?.['persons'] ?? [],
    groups: new Map(others.map((index) => [index, row?.[`keys_${index}`] ?? []])),
  };
}

/** Reads the events once. One row, with a list for the persons and for each group type. */
function relatedStatement(projectId: number, to: RelatedSubject, others: readonly number[]): Fragment {
  const groups = others.map((index) => {
    const key = groupKey(index);
    return sql`groupUniqArrayIf(1000)(${key}, ${key} != '') as ${identifier(`keys_${index}`)}`;
  });
  if ('person' in to) {
    return selectFromEvents({ projectId, select: groups, where: [sql`${PERSON_ID} = ${bound('UUID', to.person)}`] });
  }
  const persons = sql`groupUniqArrayIf(1000)(toString(${PERSON_ID}), ${HAS_PROFILE}) as persons`;
  return selectFromEvents({
    projectId,
    select: [persons, ...groups],
    where: [sql`${groupKey(to.index)} = ${bound('String', to.key)}`],
  });
}

const groupKey = (index: number): Fragment => sql`e.${identifier(`group_${index}`)}`;

const HAS_PROFILE: Fragment = joining(sql`p.has_profile = 1`, {
  table: 'persons',
  column: { alias: 'has_profile', expression: sql`1` },
});
