/** An instant (a date or epoch milliseconds) for people to read, in a zone which it names: `31 Dec 1969, 19:00 (America/New York)`. */
export const formatTime = (instant: Date | number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(instant) +
  (timeZone === 'UTC' ? ' UTC' : ` (${timeZone.replaceAll('_', ' ')})`);
