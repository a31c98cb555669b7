const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** A time: relative within a day, then the date. The exact time and its zone stand in the title. `zone`: IANA name; default: UTC. */
export function Time({ at, zone = 'UTC', now = Date.now() }: { at: string; zone?: string; now?: number }) {
  const date = new Date(at);
  const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: zone }).format(date);
  return (
    <time dateTime={at} title={`${exact} (${zone})`} className="tnum whitespace-nowrap">
      {relativeTime(date, now, zone)}
    </time>
  );
}

/** "4 min. ago", "21 Nov", "21 Nov 2025". @param now epoch milliseconds */
export function relativeTime(date: Date, now: number, zone: string): string {
  const seconds = Math.round((date.getTime() - now) / 1_000);
  const age = Math.abs(seconds);
  if (age < 60) return RELATIVE.format(seconds, 'second');
  if (age < 3_600) return RELATIVE.format(Math.trunc(seconds / 60), 'minute');
  if (age < 86_400) return RELATIVE.format(Math.trunc(seconds / 3_600), 'hour');
  const isSameYear = new Date(now).getUTCFullYear() === date.getUTCFullYear();
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(isSameYear ? {} : { year: 'numeric' }),
    timeZone: zone,
  }).format(date);
}
