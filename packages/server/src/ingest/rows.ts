import { breathe } from '../kernel/breathe.js';
import type { GroupAnswer } from './groups/types.js';
import type { PersonAnswer } from './persons/types.js';
import type { Draft } from './stages/index.js';

/** A row of `events` before its properties: the text form leaves out what has its default. */
export interface RowHead {
  project_id: number;
  uuid: string;
  event: string;
  distinct_id: string;
  person_id: string;
  person_mode: PersonAnswer['mode'];
  timestamp: number;
  inserted_at: number;
  elements_chain: string;
  groups: GroupAnswer;
}

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
    groups,
  };
}

/** One line of JSONEachRow up to the value of `properties`, which is text already and what a row mostly is. */
export function rowStart(head: RowHead): string {
  let text = `{"project_id":${head.project_id},"uuid":"${head.uuid}","event":${JSON.stringify(head.event)},"distinct_id":${JSON.stringify(head.distinct_id)},"person_id":"${head.person_id}","person_mode":"${head.person_mode}","timestamp":${head.timestamp},"inserted_at":${head.inserted_at}`;
  if (head.elements_chain !== '') text += `,"elements_chain":${JSON.stringify(head.elements_chain)}`;
  for (let i = 0; i < head.groups.length; i++) {
    const key = head.groups[i];
    if (key) text += `,"group_${i}":${JSON.stringify(key)}`;
  }
  return `${text},"properties":`;
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

/** The form in which any properties can be stored: as text under one name, still to be read by people. */
export const asText = (properties: string): string => JSON.stringify({ $raw_properties: properties });
