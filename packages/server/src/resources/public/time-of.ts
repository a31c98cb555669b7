/** A time in a zone, which it names, for people. */
export const timeOf = (instant: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(instant) +
  (timeZone === 'UTC' ? ' UTC' : ` (${timeZone.replaceAll('_', ' ')})`);
