import { breathe } from '../kernel/breathe.js';
import type { EventRow } from '../ports/events.js';
import type { GroupAnswer } from './groups/types.js';
import type { PersonAnswer } from './persons/types.js';
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

/** Texts written between two turns of the event loop: about 3 ms. */
const STRETCH = 1_000;

/** The texts as bytes, one behind the other. Written one by one: a single wide character in a joined text would widen it all. */
export async function bytesOfTexts(texts: readonly string[]): Promise<Buffer> {
  let length = 0;
  for (const text of texts) length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const [i, text] of texts.entries()) {
    if (i > 0 && i % STRETCH === 0) await breathe();
    at += bytes.write(text, at, 'utf8');
  }
  return bytes;
}
