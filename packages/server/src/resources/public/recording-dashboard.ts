import { written } from '@tidemark/charts';
import { formatTime } from '../../kernel/display-text.js';
import type { SharedRecording } from './store.js';

/** A recording as a table of its facts, without the person and their input. */
export function recordingDashboard({ start, end, activeMilliseconds, clicks, keys, errors, url }: SharedRecording, zone: string) {
  const lasting = (milliseconds: number) => written(milliseconds, { unit: 'milliseconds' });
  const rows = [
    ['Began', formatTime(new Date(start), zone)],
    ['Lasted', lasting(end - start)],
    ['Active for', lasting(activeMilliseconds)],
    ['First page', pageOf(url)],
    ['Clicks', clicks],
    ['Key presses', keys],
    ['Errors in the console', errors],
  ];
  const insight = { kind: 'rows' as const, columns: ['About', 'Value'], rows };
  const content = { kind: 'insight' as const, insight, computedAt: null };
  const tile = { title: 'A recorded session', description: '', days: '', color: null, place: null, content };
  return { title: null, description: '', tiles: [tile] };
}

/** An address without its query and fragment, which may be private. Mobile apps send the name of a screen instead. */
function pageOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return url?.replace(/[?#].*/s, '') ?? null;
  const { protocol, host, pathname } = new URL(url);
  return host ? `${protocol}//${host}${pathname}` : null;
}
