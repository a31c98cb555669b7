import type { RetentionPreview, TriedRetention } from '../../data/retention.js';
import type { Project } from '../../data/settings.js';
import type { Option } from '../../ui/Select.js';

/** What a project may keep for some time only. */
export type RetentionKind = keyof RetentionPreview;

/** How many there are of a kind, and how many would be deleted. */
type Ages = RetentionPreview[RetentionKind];

type RetentionSettings = Pick<
  Project,
  'events_retention_days' | 'exports_retention_days' | 'activity_retention_days' | 'session_recording_retention_period'
>;

const RECORDING_DAYS = { '30d': 30, '90d': 90, '1y': 365, '5y': 1_826 } as const;
const RECORDING_PERIODS = ['30d', '90d', '1y', '5y'] as const;
const DAYS = ['30', '90', '180', '365', '730', '1825'];

/** Of the empty value, which is no limit. */
const FOR_EVER = 'For ever';

const LABELS: Record<string, string> = {
  '30d': '30 days',
  '90d': '90 days',
  '1y': '1 year',
  '5y': '5 years',
  '1': '1 day',
  '365': '1 year',
  '730': '2 years',
  '1825': '5 years',
  '': FOR_EVER,
};

const NAMES: Record<RetentionKind, { what: string; one: string; many: string; help: string }> = {
  events: { what: 'events', one: 'event', many: 'events', help: 'By their time. Whole days (UTC) are deleted.' },
  recordings: { what: 'recordings', one: 'recording', many: 'recordings', help: 'By the end of the session.' },
  exports: { what: 'exports', one: 'export', many: 'exports', help: 'Files that people made. They may expire earlier.' },
  activity: { what: 'the activity log', one: 'entry', many: 'entries', help: 'Who changed what.' },
};

export const RETENTION_KINDS = ['events', 'recordings', 'exports', 'activity'] as const satisfies RetentionKind[];

export const retentionLabel = (kind: RetentionKind): string => `Keep ${NAMES[kind].what} for`;

/** For how long a project keeps a kind, as the value of a choice; empty: for ever. */
export function retentionValue(kind: RetentionKind, settings: RetentionSettings): string {
  if (kind === 'recordings') return settings.session_recording_retention_period ?? '';
  const days = settings[`${kind}_retention_days`];
  return days === null ? '' : String(days);
}

/** The setting that a value stands for, for requests that change it. */
export function retentionFields(kind: RetentionKind, value: string): Partial<RetentionSettings> {
  if (kind !== 'recordings') return { [`${kind}_retention_days`]: value === '' ? null : Number(value) };
  return { session_recording_retention_period: RECORDING_PERIODS.find((period) => period === value) ?? null };
}

/** The same for a preview. @param value not empty: keeping all deletes nothing */
export function triedRetention(kind: RetentionKind, value: string): TriedRetention {
  if (kind !== 'recordings') return { [`${kind}_retention_days`]: Number(value) };
  const period = RECORDING_PERIODS.find((one) => one === value);
  return period ? { session_recording_retention_period: period } : {};
}

export const retentionText = (value: string): string => LABELS[value] ?? `${value} days`;

/** The choices of a kind, with one more for a value that was set through the API. */
export function retentionOptions(kind: RetentionKind, value: string): Option<string>[] {
  const known: readonly string[] = kind === 'recordings' ? RECORDING_PERIODS : DAYS;
  const values = known.includes(value) || value === '' ? known : [...known, value];
  const sorted = values.toSorted((a, b) => retentionDays(a) - retentionDays(b));
  return [...sorted, ''].map((one) => ({ value: one, label: retentionText(one) }));
}

function retentionDays(value: string): number {
  if (value === '') return Number.POSITIVE_INFINITY;
  const period = RECORDING_PERIODS.find((one) => one === value);
  return period ? RECORDING_DAYS[period] : Number(value);
}

/** Whether a value keeps for less long than another one. */
export const isShorter = (value: string, than: string): boolean => retentionDays(value) < retentionDays(than);

/** A number of something: "1 event", "2,000 events". */
const countText = (kind: RetentionKind, count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? NAMES[kind].one : NAMES[kind].many}`;

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** What decides about the age, and how many there are. @param ages null: not known yet */
export function stockText(kind: RetentionKind, ages: Ages | null): string {
  const { help } = NAMES[kind];
  if (!ages) return help;
  const { total, deleted, oldest } = ages;
  if (total === 0 || oldest === null) return `${help} There are none yet.`;
  const stock = `${help} ${countText(kind, total)}, the oldest of ${DAY.format(new Date(oldest))}.`;
  return deleted === 0 ? stock : `${stock} About to be deleted: ${deleted.toLocaleString('en')}.`;
}

/** What a shorter retention deletes, for the question whether it is meant. */
export function lossText(kind: RetentionKind, value: string, { total, deleted, kept_from: from }: Ages): string {
  const { one, many } = NAMES[kind];
  const later = `Others follow when they are older than ${retentionText(value)}.`;
  if (total === 0)
    return `There are no ${many} yet. They will be deleted for good when they are older than ${retentionText(value)}.`;
  if (deleted === 0 || from === null) {
    const young = total === 1 ? `the only ${one} is not as old` : `none of the ${countText(kind, total)} is as old`;
    return `Nothing is deleted now: ${young}. Each will be deleted for good when it is older than ${retentionText(value)}.`;
  }
  const before = (kind === 'events' ? DAY : TIME).format(new Date(from));
  return `${deleted.toLocaleString('en')} of ${countText(kind, total)} ${deleted === 1 ? 'is' : 'are'} deleted for good, from before ${before} (UTC). That begins within minutes and cannot be undone. ${later}`;
}

/** The button that confirms it. */
export const confirmText = (kind: RetentionKind, deleted: number): string =>
  deleted > 0 ? `Delete ${countText(kind, deleted)}` : 'Set the limit';
