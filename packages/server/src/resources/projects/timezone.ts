const CANONICAL: ReadonlySet<string> = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
const LOWER_CASE: ReadonlySet<string> = new Set([...CANONICAL].map((name) => name.toLowerCase()));

/** Whether a text is the name of an IANA time zone, in the database's own spelling (the event store is strict about case). */
export function isTimezone(name: string): boolean {
  if (CANONICAL.has(name)) return true;
  // aliases such as US/Pacific are not listed by the runtime, only accepted
  if (LOWER_CASE.has(name.toLowerCase()) || !/^[A-Z][\w+-]*(?:\/[A-Z][\w+-]*)*$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
