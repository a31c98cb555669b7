/** What an ingestion warning means, and what to do. Unknown types are shown by their name. */
const WARNINGS: Record<string, string> = {
  message_size_too_large: 'An event was too large and was not stored',
  replay_message_too_large: 'A piece of a recording was too large and was not stored',
  event_timestamp_in_future: 'An event is from the future: the clock of its sender is wrong. It was stored with that time',
  ignored_invalid_timestamp: 'An event had no valid time; it was stored with the time of its arrival',
  cannot_merge_already_identified: 'Two people were not merged, because both were identified before',
  cannot_merge_with_illegal_distinct_id: 'People were not merged, because the id is one that many share, such as "null"',
  invalid_event_when_process_person_profile_is_false: 'An event that is about a person came without person processing',
  client_ingestion_warning: 'An SDK reported that it left events out',
};

export const warningText = (type: string): string =>
  WARNINGS[type] ?? type.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());

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
