const NOISY = new Set([
  '$browser',
  '$browser_version',
  '$current_url',
  '$device_type',
  '$os',
  '$os_name',
  '$os_version',
  '$pathname',
  '$raw_user_agent',
  '$referrer',
  '$referring_domain',
  '$screen_height',
  '$screen_width',
  '$viewport_height',
  '$viewport_width',
]);
/** Where somebody is at large is worth a write. */
const TELLING_GEOIP = new Set(['$geoip_country_name', '$geoip_city_name']);

/** Whether a property changes so often (page, window, address) that its change alone is not worth writing the person. */
export const isNoisyProperty = (name: string): boolean =>
  NOISY.has(name) || (name.startsWith('$geoip_') && !TELLING_GEOIP.has(name));
