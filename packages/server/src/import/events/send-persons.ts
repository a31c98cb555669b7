import { isObject } from '../../kernel/json.js';
import type { ImportReport } from '../report.js';
import type { Target } from '../target.js';
import type { ImportedPerson } from './event.js';

/** Sends persons to a project: it resolves when all of them are stored. Doing it again changes nothing. */
export type SendPersons = (persons: readonly ImportedPerson[]) => Promise<void>;

/** Persons of a request. */
const PERSONS = 500;

/**
 * Makes the function that sends persons.
 * @param target null: nothing is sent
 * @param isCounted false: the caller counts them, because one person may be sent in several parts
 */
export const createPersonSender =
  (target: Target | null, report: ImportReport, { isCounted = true } = {}): SendPersons =>
  async (persons) => {
    for (let at = 0; at < persons.length; at += PERSONS) {
      const batch = persons.slice(at, at + PERSONS);
      if (target) {
        const response = await target.client.request('POST', `${target.api}/persons/`, { persons: batch });
        const results = isObject(response) && Array.isArray(response['results']) ? response['results'] : [];
        const refused = results.flatMap((one) => (isObject(one) && Array.isArray(one['refused_ids']) ? one['refused_ids'] : []));
        for (const id of refused) report.explain('persons', 'clients send this distinct id for everybody', String(id));
      }
      if (isCounted) report.count('persons', 'imported', batch.length);
    }
  };
