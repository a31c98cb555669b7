import type { Json, JsonObject } from '../../kernel/json.js';
import { BROKEN_PROPERTIES, importedEvent, jsonObjectOf, objectOf, uuidOf } from '../events/event.js';
import { isOneObject } from '../events/json-text.js';
import { type EventFormat, filled, member } from './format.js';

/** Events of batch exports of PostHog, and of `tidemark export`. Properties may be an object or its JSON. */
export const posthogFormat: EventFormat = {
  name: 'posthog',
  matches: (name) => !/(^|\/)(persons|groups)\b|\.json$/i.test(name),
  bytesOf: 'properties',
  open: () => (record) => {
    const read = member(record, 'properties');
    if (read instanceof Uint8Array && isAsItIs(record) && isOneObject(read)) {
      return eventOf(record, {}, read);
    }
    const source = read instanceof Uint8Array ? Buffer.from(read).toString() : read;
    const properties = objectOf(source);
    if (!properties) return { problem: BROKEN_PROPERTIES };
    const all = typeof source === 'string' ? properties : jsonObjectOf(properties);
    let isAsRead = typeof source === 'string' && source !== '';
    const add = (name: string, value: Json) => {
      if (all[name] !== undefined && all[name] !== null) return;
      all[name] = value;
      isAsRead = false;
    };
    const chain = filled(member(record, 'elements_chain'));
    if (chain !== undefined) add('$elements_chain', chain);
    for (const [column, name] of [
      ['set', '$set'],
      ['set_once', '$set_once'],
    ] as const) {
      const set = objectOf(member(record, column));
      if (set && Object.keys(set).length > 0) add(name, set);
    }
    return eventOf(record, all, isAsRead && typeof source === 'string' ? source : undefined);
  },
};

const eventOf = (record: object, properties: JsonObject, propertiesJson: string | Uint8Array | undefined) =>
  importedEvent({
    event: member(record, 'event'),
    distinctId: member(record, 'distinct_id'),
    timestamp: member(record, 'timestamp'),
    uuid: member(record, 'uuid'),
    properties,
    propertiesJson,
  });

/** Whether nothing has to be added to the properties, and the uuid is not one of their content. */
const isAsItIs = (record: object): boolean =>
  uuidOf(member(record, 'uuid')) !== null &&
  filled(member(record, 'elements_chain')) === undefined &&
  isEmpty(member(record, 'set')) &&
  isEmpty(member(record, 'set_once'));

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '' || value === '{}';
