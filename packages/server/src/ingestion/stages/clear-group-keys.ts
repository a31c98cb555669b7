import { isObject } from '../../kernel/json.js';
import type { Stage } from './event-context.js';

const NAMES = ['$group_0', '$group_1', '$group_2', '$group_3', '$group_4'];

/** The service itself sets `$group_0` to `$group_4` of an event with `$groups`; values that a client sent under these names are removed. */
export const clearGroupKeys: Stage = {
  name: 'clear-group-keys',
  run: ({ properties }) => {
    if (!isObject(properties.$groups)) return undefined;
    for (const name of NAMES) if (properties[name] !== undefined) delete properties[name];
    return undefined;
  },
};
