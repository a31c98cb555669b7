import { initialName } from '../passing.js';
import type { Stage } from './draft.js';

/** Puts where the address is on the event and on its person; server SDKs disable it because the address is the server's. */
export const putGeoip: Stage = {
  name: 'put-geoip',
  run: (draft, env) => {
    const { properties } = draft;
    if (properties.$geoip_disable || draft.ip === '') return undefined;
    const place = env.locate(draft.ip);
    if (!place) return undefined;
    for (const [key, value] of Object.entries(place)) {
      properties[key] ??= value;
      if (!draft.processProfile) continue;
      draft.set[key] = value;
      draft.setOnce[initialName(key)] = value;
    }
    return undefined;
  },
};
