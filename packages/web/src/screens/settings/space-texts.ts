import type { Space } from '../../data/health.js';
import { bytesText } from './health-texts.js';

type Kind = Space['kinds'][number]['kind'];
type Place = Space['places'][number];

/** A disk that is full within so many days is pointed out. */
const SOON_DAYS = 14;

const KINDS: Record<Kind, string> = {
  events: 'Events',
  recordings: 'Recordings',
  files: 'Exports and files',
  postgres: 'Persons, flags, dashboards',
  logs: 'Logs of the event store',
};

const PLACES: Record<string, string> = {
  data: 'Data directory',
  clickhouse: 'ClickHouse',
  postgres: 'PostgreSQL',
  events: 'Disk of events',
  'events-log': 'Disk of the event log',
  blobs: 'Disk of recordings and exports',
};

export const kindName = (kind: Kind): string => KINDS[kind];
export const placeName = (place: string): string => PLACES[place] ?? place;

export const isFullSoon = ({ days_until_full: days }: Pick<Place, 'days_until_full'>): boolean =>
  days !== null && days < SOON_DAYS;

/** How much is free, how fast it is used, and until when it lasts. */
export function outlookText({
  free_bytes,
  growth_bytes_per_day: growth,
  days_until_full: days,
  filled_by,
}: Omit<Place, 'place'>): string {
  const free = free_bytes === null ? 'The server does not report its free space.' : `${bytesText(free_bytes)} free.`;
  if (growth === null) return `${free} When that is used up is known after a day.`;
  if (growth <= 0) return `${free} It does not grow.`;
  const most = filled_by === null ? '' : `, most of it ${KINDS[filled_by].toLowerCase()}`;
  const until = days === null ? '' : `, and is full ${inDays(days)}`;
  return `${free} It grows by ${bytesText(growth)} a day${most}${until}.`;
}

function inDays(days: number): string {
  if (days < 1) return 'within a day';
  if (days > 3_650) return 'in more than ten years';
  return `in ${Math.floor(days)} ${days < 2 ? 'day' : 'days'}`;
}
