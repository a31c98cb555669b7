import { isObject } from '../../kernel/json.js';
import type { Stage } from './draft.js';

const NAMES = ['$group_0', '$group_1', '$group_2', '$group_3', '$group_4'];

/** An event that names its groups gets their keys as `$group_0` to `$group_4` from the service; what a client sent under these names gives way. */
export const clearGroupKeys: Stage = {
  name: 'clear-group-keys',
  run: ({ properties }) => {
    if (!isObject(properties.$groups)) return undefined;
    for (const name of NAMES) if (properties[name] !== undefined) delete properties[name];
    return undefined;
  },
};
