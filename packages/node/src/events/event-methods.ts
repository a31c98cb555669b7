import type { ClientLog, Properties } from '@tidemark/client';
import type { EventMessage, NodeClient } from '../node-client.js';
import { nameOf } from './event-maker.js';

/** The methods of the client that capture events. */
export function createEventMethods(
  submit: (message: EventMessage) => string | null,
  distinctIdOf: (distinctId: unknown) => string | undefined,
  log: ClientLog,
): Pick<NodeClient, 'capture' | 'identify' | 'alias' | 'groupIdentify'> {
  const refused = (call: string, needs: string): null => {
    log.warn(`${call} needs ${needs}, so nothing was captured`);
    return null;
  };
  return {
    capture: (message) => {
      if (message?.event === '$exception') log.warn('capture of $exception: use captureException, which adds the stack');
      return submit(message ?? {});
    },
    identify: (message) => {
      const { distinctId, properties } = message ?? {};
      const name = nameOf(distinctId);
      if (!name) return refused('identify', 'a distinctId');
      const { $set, $set_once, $anon_distinct_id: _, ...rest } = properties ?? {};
      const set: Properties = { $set: Object.assign({}, rest, $set), ...($set_once ? { $set_once } : {}) };
      return submit({ distinctId: name, event: '$identify', properties: set, ...geoipOf(message) });
    },
    alias: (message) => {
      const { distinctId, alias } = message ?? {};
      const [name, other] = [nameOf(distinctId), nameOf(alias)];
      if (!name || !other) return refused('alias', 'a distinctId and an alias');
      return submit({
        distinctId: name,
        event: '$create_alias',
        properties: { distinct_id: name, alias: other },
        ...geoipOf(message),
      });
    },
    groupIdentify: (message) => {
      const { groupType, groupKey, properties, distinctId } = message ?? {};
      const [type, key] = [nameOf(groupType), nameOf(groupKey)];
      if (!type || !key) return refused('groupIdentify', 'a groupType and a groupKey');
      const group: Properties = { $group_type: type, $group_key: key, $group_set: properties ?? {} };
      const who = distinctIdOf(distinctId) ?? `$${type}_${key}`;
      return submit({ distinctId: who, event: '$groupidentify', properties: group, ...geoipOf(message) });
    },
  };
}

const geoipOf = ({ disableGeoip }: Pick<EventMessage, 'disableGeoip'>) => (disableGeoip === undefined ? {} : { disableGeoip });
