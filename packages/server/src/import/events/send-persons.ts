import { bisectRejected } from '../../kernel/bisect.js';
import { isObject, type Json } from '../../kernel/json.js';
import { Refusal } from '../http-client.js';
import type { ImportReport } from '../report.js';
import type { Target } from '../target.js';
import type { ImportedPerson } from './event.js';

/** Sends persons to a project: it resolves when all of them are stored or reported. Doing it again changes nothing. */
export type SendPersons = (persons: readonly ImportedPerson[]) => Promise<void>;

/** Persons of a request, and distinct ids of one of them. */
const PERSONS = 500;
const IDS = 1_000;

/**
 * Makes the function that sends persons. Those that the service refuses are found by halving their request.
 * @param target null: nothing is sent
 */
export const createPersonSender =
  (target: Target | null, report: ImportReport): SendPersons =>
  async (persons) => {
    const parts = persons.flatMap(partsOf);
    const refused = new Map<ImportedPerson, string>();
    for (let at = 0; target && at < parts.length; at += PERSONS)
      await sendBatch(parts.slice(at, at + PERSONS), target, report, refused);
    report.count('persons', 'imported', persons.length - refused.size);
    for (const [person, reason] of refused) report.count('persons', 'skipped', 1, reason, person.distinct_ids[0]);
  };

/** What is sent of a person. Each part has the first distinct id, which joins them. */
interface PersonPart {
  of: ImportedPerson;
  sent: ImportedPerson;
}

function partsOf(person: ImportedPerson): PersonPart[] {
  const { distinct_ids: ids } = person;
  const parts: PersonPart[] = [];
  for (let at = 0; at === 0 || at + 1 < ids.length; at += IDS - 1) {
    const some = at === 0 ? ids.slice(0, IDS) : [ids[0] ?? '', ...ids.slice(at + 1, at + IDS)];
    parts.push({ of: person, sent: { ...person, distinct_ids: some } });
  }
  return parts;
}

/** Sends persons of one request, and adds those that the service refuses, with its reason. */
async function sendBatch(
  batch: readonly PersonPart[],
  { client, api }: Target,
  report: ImportReport,
  refused: Map<ImportedPerson, string>,
): Promise<void> {
  const isRefusal = (error: unknown): error is Refusal =>
    error instanceof Refusal && (error.status === 400 || error.status === 413);
  const send = async (parts: readonly PersonPart[]): Promise<Json> => {
    try {
      return await client.request('POST', `${api}/persons/`, { persons: parts.map(({ sent }) => sent) });
    } catch (error) {
      const [only] = parts;
      if (isRefusal(error) && only && parts.length === 1)
        refused.set(only.of, `the service refuses the person: ${error.message}`);
      throw error;
    }
  };
  const { results } = await bisectRejected(batch, send, isRefusal);
  for (const { result } of results) {
    const list = isObject(result) && Array.isArray(result['results']) ? result['results'] : [];
    const ids = list.flatMap((one) => (isObject(one) && Array.isArray(one['refused_ids']) ? one['refused_ids'] : []));
    for (const id of ids) report.explain('persons', 'clients send this distinct id for everybody', String(id));
  }
}
