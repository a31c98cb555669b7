/** "23.3 GB": three digits, in powers of 1,000. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(bytes / 1_000 ** step);
  return `${number} ${units[step]}`;
}

/** How many events wait, and for how long the oldest one has. */
export function ingestText({
  lag_seconds: lag,
  waiting_events: waiting,
}: {
  lag_seconds: number;
  waiting_events: number;
}): string {
  if (waiting === 0) return 'No event waits';
  const events = `${new Intl.NumberFormat('en').format(waiting)} ${waiting === 1 ? 'event waits' : 'events wait'}`;
  return `${events}, the oldest for ${lag < 10 ? lag.toFixed(1) : Math.round(lag)} s`;
}

/** How many questions are being computed, and for whom. */
export function readsText({
  interactive,
  export: exports,
  background,
}: Record<'interactive' | 'export' | 'background', number>): string {
  const parts = [
    [interactive, 'at a screen'],
    [exports, 'for exports'],
    [background, 'renewed'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, whose]) => `${count} ${whose}`);
  return shown.length > 0 ? shown.join(', ') : 'None runs or waits';
}
