import { expect } from 'vitest';
import type { EventRow } from '../ports/events.js';
import { eventRow } from './events.js';
import type { TestService } from './service.js';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** When the experiments begin. */
export const START = Date.UTC(2024, 4, 1);

/** Somebody who met a variant. */
export interface ExposedPerson {
  variant: string;
  /** Events after exposure, an hour apart. */
  did?: readonly { event: string; properties?: EventRow['properties'] }[];
}

let rows = 0;

/** An experiment of ten days in a project of its own, with these people on the first day. */
export async function experiment(it: TestService, people: readonly ExposedPerson[], fields: object, dates: object = {}) {
  const project = (await it.call('POST', '/api/projects/', { body: { name: `Project ${++rows}` } })).json();
  const url = `/api/projects/${project.id}/experiments/`;
  const made = await it.call('POST', url, {
    body: {
      name: 'Experiment',
      feature_flag_key: 'flag',
      start_date: new Date(START).toISOString(),
      end_date: new Date(START + 10 * DAY).toISOString(),
      ...dates,
      ...fields,
    },
  });
  expect([made.statusCode, made.body]).toEqual([201, expect.any(String)]);
  const row = (person: number, timestamp: number, event: string, properties: EventRow['properties']) =>
    eventRow(++rows, {
      project_id: project.id,
      distinct_id: `p${person}`,
      person_id: `00000000-0000-4000-8000-${String(person).padStart(12, '0')}`,
      event,
      properties,
      timestamp,
    });
  const events = people.flatMap(({ variant, did = [] }, person) => {
    const at = START + person * 1000;
    return [
      row(person, at, '$feature_flag_called', { $feature_flag: 'flag', $feature_flag_response: variant }),
      ...did.map(({ event, properties = {} }, index) => row(person, at + (index + 1) * HOUR, event, properties)),
    ];
  });
  await put(it, events);
  return {
    url: `${url}${made.json().id}/`,
    project,
    row,
    results: (query = '') => it.call('GET', `${url}${made.json().id}/results/${query}`),
  };
}

/** Stores events as they are. */
export const put = async (it: TestService, events: readonly EventRow[]) => {
  if (events.length === 0) return;
  await it.deps.events.insert('events', events, {
    token: `results-${++rows}`,
  });
};

/** People of one variant. */
export const group = (variant: string, n: number, did: (index: number) => ExposedPerson['did'] = () => []): ExposedPerson[] =>
  Array.from({ length: n }, (_, index) => ({ variant, did: did(index) ?? [] }));
/** The first `count` people of a group pay. */
export const paid = (count: number) => (index: number) => (index < count ? [{ event: 'paid' }] : []);
