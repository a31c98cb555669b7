import { initialName } from '../device-properties.js';
import type { Stage } from './event-context.js';

/** Sets the `$geoip_*` properties of the address on the event and its person. Server SDKs disable it: their address is the server's. */
export const putGeoip: Stage = {
  name: 'put-geoip',
  run: (context, env) => {
    const { properties } = context;
    if (properties.$geoip_disable || context.ip === '') return undefined;
    const place = env.locate(context.ip);
    if (!place) return undefined;
    for (const [key, value] of Object.entries(place)) {
      properties[key] ??= value;
      if (!context.processProfile) continue;
      context.set[key] = value;
      context.setOnce[initialName(key)] = value;
    }
    return undefined;
  },
};
