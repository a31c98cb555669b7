import { RECORDING_ORDERS, type RecordingFilter, type RecordingOrder } from '../../data/recordings.js';

/** `from`, `to`: days. `url`: part of an address that was seen. `event`: captured meanwhile. `min`: seconds at least. `by`: the order. */
export interface RecordingsSearch {
  from?: string;
  to?: string;
  url?: string;
  event?: string;
  min?: string;
  by?: RecordingOrder;
}

/** What the list shows unless the address says something else. */
const FIRST_SHOWN = { from: '-7d', to: null };

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Reads an address; what no list can be limited to is left out. */
export function searchOf(search: Record<string, unknown>): RecordingsSearch {
  const { from, to, url, event, min } = search;
  const by = RECORDING_ORDERS.find(({ order }) => order === search['by'])?.order;
  const days = textOf(from);
  return {
    ...(days && { from: days, ...(textOf(to) && { to: String(to) }) }),
    ...(textOf(url) && { url: String(url) }),
    ...(textOf(event) && { event: String(event) }),
    ...(/^\d{1,6}$/.test(String(min)) && { min: String(min) }),
    ...(by && { by }),
  };
}

export const filterOfSearch = ({
  from,
  to,
  url = '',
  event,
  min = '0',
  by = 'start_time',
}: RecordingsSearch): RecordingFilter => ({
  range: from ? { from, to: to ?? null } : FIRST_SHOWN,
  address: url,
  event: event ?? null,
  seconds: Number(min),
  order: by,
});
