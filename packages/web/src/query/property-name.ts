/** Names of properties whose sent name says little. */
const NAMES: Record<string, string> = {
  $current_url: 'Page address',
  $pathname: 'Path',
  $host: 'Host',
  $os: 'Operating system',
  $lib: 'Library',
  $ip: 'IP address',
  $geoip_country_code: 'Country code',
  $geoip_country_name: 'Country',
  $geoip_city_name: 'City',
  $geoip_subdivision_1_name: 'Region',
  $referring_domain: 'Referring domain',
  $device_type: 'Device type',
};

/** The value of a property in a cell of a list; empty: there is none. */
export const valueText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** The name of a property for people: `$device_type` is "Device type". Names of people's own properties stay as they are. */
export function propertyName(key: string): string {
  if (!key.startsWith('$')) return key;
  // what was known of a person at first: `$initial_os` is "First operating system"
  if (key.startsWith('$initial_')) {
    const name = propertyName(key.replace('initial_', ''));
    return `First ${/^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1)}`;
  }
  const words = key
    .slice(1)
    .replace(/^geoip_/, '')
    .replaceAll('_', ' ');
  return NAMES[key] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
