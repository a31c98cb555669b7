import type { Json } from '../../kernel/json.js';
import { importedEvent, jsonObjectOf, objectOf } from '../events/event.js';
import { type EventFormat, filled, member } from './format.js';

/** Events of batch exports of PostHog, and of `tidemark export`. Properties may be an object or its JSON. */
export const posthogFormat: EventFormat = {
  name: 'posthog',
  matches: (name) => !/(^|\/)(persons|groups)\b|\.json$/i.test(name),
  open: () => (record) => {
    const source = member(record, 'properties');
    const properties = objectOf(source);
    if (!properties) return { problem: 'the properties are not a JSON object' };
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
    const made = importedEvent({
      event: member(record, 'event'),
      distinctId: member(record, 'distinct_id'),
      timestamp: member(record, 'timestamp'),
      uuid: member(record, 'uuid'),
      properties: all,
    });
    return isAsRead && typeof source === 'string' && !('problem' in made) ? { ...made, propertiesJson: source } : made;
  },
};
