import { isPassing } from '../passing.js';

/** Where somebody is at large is worth a write. */
const TELLING_GEOIP = new Set(['$geoip_country_name', '$geoip_city_name']);

/** Whether a property changes so often (page, window, address) that its change alone is not worth writing the person. */
export const isNoisyProperty = (name: string): boolean =>
  isPassing(name) || (name.startsWith('$geoip_') && !TELLING_GEOIP.has(name));
