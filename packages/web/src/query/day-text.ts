const DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** A day or hour of an answer in words: `Mon, 23 Nov 2026`, `Mon, 23 Nov 2026, 14:00`. Another text stays. */
export function dayText(day: string): string {
  const [, date, clock] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?/.exec(day) ?? [];
  if (!date) return day;
  const words = DAY.format(new Date(`${date}T00:00:00Z`));
  return clock && clock !== '00:00' ? `${words}, ${clock}` : words;
}
