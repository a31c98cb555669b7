/** All time zones that this browser knows, UTC first. `current`: that of the project, which another browser may have chosen. */
export function zoneOptions(current: string): { value: string; label: string }[] {
  const names = new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone')]);
  return [...names].map((value) => ({ value, label: value.replaceAll('_', ' ') }));
}
