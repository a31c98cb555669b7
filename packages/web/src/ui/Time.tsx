const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** Formats that were made, by what they are for and the zone: to make one takes as long as to use it for hundreds of times. */
const formats = new Map<string, Intl.DateTimeFormat>();
const OPTIONS = {
  exact: { dateStyle: 'medium', timeStyle: 'medium' },
  day: { day: 'numeric', month: 'short' },
  dayAndYear: { day: 'numeric', month: 'short', year: 'numeric' },
} as const;

function formatOf(kind: keyof typeof OPTIONS, zone: string): Intl.DateTimeFormat {
  const key = `${kind} ${zone}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...OPTIONS[kind], timeZone: zone });
  formats.set(key, format);
  return format;
}

/** A time: relative within a day, then the date. The exact time and its zone stand in the title. `zone`: IANA name; default: UTC. */
export function Time({ at, zone = 'UTC', now = Date.now() }: { at: string; zone?: string; now?: number }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={exactTime(date, zone)} className="tnum whitespace-nowrap">
      {relativeTime(date, now, zone)}
    </time>
  );
}

/** "26 Nov 2026, 16:31:05 (UTC)". */
export const exactTime = (date: Date, zone: string): string => `${formatOf('exact', zone).format(date)} (${zone})`;

/** "4 min. ago", "21 Nov", "21 Nov 2025". @param now epoch milliseconds */
export function relativeTime(date: Date, now: number, zone: string): string {
  const seconds = Math.round((date.getTime() - now) / 1_000);
  const age = Math.abs(seconds);
  if (age < 60) return RELATIVE.format(seconds, 'second');
  if (age < 3_600) return RELATIVE.format(Math.trunc(seconds / 60), 'minute');
  if (age < 86_400) return RELATIVE.format(Math.trunc(seconds / 3_600), 'hour');
  return shortDay(date, now, zone);
}

/** "21 Nov", "21 Nov 2025". @param now epoch milliseconds */
export function shortDay(date: Date, now: number, zone: string): string {
  const isSameYear = new Date(now).getUTCFullYear() === date.getUTCFullYear();
  return formatOf(isSameYear ? 'day' : 'dayAndYear', zone).format(date);
}
