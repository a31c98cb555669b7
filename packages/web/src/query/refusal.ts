import { readableName } from '@tidemark/charts';

/** Why an event was refused or mended, for people. */
export interface Refusal {
  /** What happened, as a sentence. */
  what: string;
  /** Whether the event is missing: it was not stored. */
  isLost: boolean;
  /** The property or field at fault; null: the event as a whole. */
  field: string | null;
  /** What was sent, or how much of it; null: not known. */
  sample: string | null;
  /** What to do, as a sentence. */
  advice: string;
  event: string | null;
  eventUuid: string | null;
  distinctId: string | null;
}

interface Known {
  what: string;
  isLost?: true;
  advice: string;
  field?: string;
  /** The detail that shows what was sent. */
  sample?: (details: Record<string, unknown>) => string | null;
}

const WARNINGS: Record<string, Known> = {
  message_size_too_large: {
    what: 'An event was too large and was not stored',
    isLost: true,
    advice: 'Send less with it: leave out long texts and lists, or send an address under which they are stored.',
    sample: ({ length, limit }) =>
      typeof length === 'number' && typeof limit === 'number' ? `${sizeText(length)}, the limit is ${sizeText(limit)}` : null,
  },
  replay_message_too_large: {
    what: 'A piece of a recording was too large and was not stored',
    isLost: true,
    advice: 'Block the part of the page that is so large with the class "tm-block": the recording shows a box in its place.',
  },
  event_timestamp_in_future: {
    what: 'An event is from the future: the clock of its sender is wrong. It was stored with that time',
    advice: 'Set the clock of the sender. From a server, send the time as UTC: "2026-05-01T10:00:00Z".',
    field: 'timestamp',
    sample: ({ timestamp, now }) =>
      typeof timestamp === 'number' && typeof now === 'number' ? `${timeText(timestamp)}, received at ${timeText(now)}` : null,
  },
  ignored_invalid_timestamp: {
    what: 'An event had no valid time; it was stored with the time of its arrival',
    advice: 'Send the time as ISO 8601, such as "2026-05-01T10:00:00Z", or leave it out.',
  },
  cannot_merge_already_identified: {
    what: 'Two people were not merged, because both were identified before',
    advice: 'Call reset() when somebody logs out, so that the next one on this device begins as somebody new.',
    field: 'distinct_id',
    sample: ({ sourcePersonDistinctId, targetPersonDistinctId }) => pairText(sourcePersonDistinctId, targetPersonDistinctId),
  },
  cannot_merge_with_illegal_distinct_id: {
    what: 'People were not merged, because the id is one that many share, such as "null"',
    advice: 'Call identify() with the id of the user in your database, once it is known.',
    field: 'distinct_id',
    sample: ({ illegalDistinctId, otherDistinctId }) => pairText(illegalDistinctId, otherDistinctId),
  },
  invalid_event_when_process_person_profile_is_false: {
    what: 'An event that is about a person came without person processing',
    isLost: true,
    advice: 'Turn person profiles on for who identifies, or leave identify(), alias() and group() out.',
    field: '$process_person_profile',
  },
  client_ingestion_warning: {
    what: 'An SDK reported that it left events out',
    advice: 'A page captured too fast, such as in a loop: capture less often.',
  },
};

/** What an ingestion warning means. Unknown types are shown by their name. */
export const warningText = (type: string): string =>
  WARNINGS[type]?.what ?? type.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());

/** A warning of the API with what was wrong, and what to do. */
export function explainWarning({ type, details }: { type: string; details: Record<string, unknown> }): Refusal {
  const known = WARNINGS[type];
  const text = (name: string): string | null => (typeof details[name] === 'string' ? details[name] : null);
  const event = text('event');
  // the event itself was stored
  const isOfPerson = details['reason'] === 'person_properties';
  return {
    what: isOfPerson ? 'The properties of a person would have become too large: the new ones were not stored' : warningText(type),
    isLost: known?.isLost === true && !isOfPerson,
    field: text('field') ?? (isOfPerson ? '$set' : (known?.field ?? null)),
    sample: known?.sample?.(details) ?? text('message') ?? valueText(details['value']),
    advice: known?.advice ?? '',
    event: event === null ? null : readableName(event),
    eventUuid: text('eventUuid'),
    distinctId: text('distinctId'),
  };
}

const valueText = (value: unknown): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? `"${value}"` : JSON.stringify(value);

const pairText = (one: unknown, other: unknown): string | null =>
  [one, other].filter((id) => typeof id === 'string').join(' and ') || null;

const timeText = (millis: number): string => new Date(millis).toISOString().replace(/\.\d+Z$/, 'Z');

/** Bytes in the unit in which limits are written: `1.2 MB`. */
function sizeText(bytes: number): string {
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${value.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`;
}
