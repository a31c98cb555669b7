import { EventType, type eventWithTime } from 'rrweb';
import { asBackground } from './canvas.js';

/** One recorded event and the window (browser tab) that it belongs to. */
export interface Line {
  windowId: string;
  event: eventWithTime;
}

/** Fields of incremental snapshots that posthog-js compresses individually. */
const PACKED = ['texts', 'attributes', 'removes', 'adds'];

/**
 * Reads JSON lines, `["<window id>", {event}]` each, and sorts them by time. Decompresses snapshots of posthog-js. Drops events that
 * cannot be played: recordings are untrusted input.
 */
export async function readLines(text: string): Promise<Line[]> {
  const lines: Line[] = [];
  for (const written of text.split('\n')) {
    const line = written && (await readLine(written));
    if (line) lines.push(line);
  }
  return lines.sort((a, b) => a.event.timestamp - b.event.timestamp);
}

async function readLine(written: string): Promise<Line | undefined> {
  try {
    const line: unknown = JSON.parse(written);
    if (!Array.isArray(line) || typeof line[0] !== 'string' || !isObject(line[1])) return undefined;
    const event = 'cv' in line[1] ? await unpacked(line[1]) : line[1];
    return isEvent(event) ? { windowId: line[0], event: asBackground(event) } : undefined;
  } catch {
    return undefined;
  }
}

function isEvent(event: object): event is eventWithTime {
  const { type, timestamp, data } = { type: null, timestamp: null, data: null, ...event };
  if (typeof type !== 'number' || typeof timestamp !== 'number' || !Number.isFinite(timestamp) || !isObject(data)) return false;
  if (type === EventType.FullSnapshot) return isObject(data['node']) || Array.isArray(data['wireframes']);
  if (type === EventType.IncrementalSnapshot) return 'source' in data && typeof data['source'] === 'number';
  return type !== EventType.Meta || ('width' in data && 'height' in data);
}

async function unpacked(event: Record<string, unknown>): Promise<object> {
  const { data } = event;
  if (typeof data === 'string') return { ...event, data: await unzipped(data) };
  if (!isObject(data)) return event;
  const whole: Record<string, unknown> = { ...data };
  for (const name of PACKED) {
    const part = whole[name];
    if (typeof part === 'string') whole[name] = await unzipped(part);
  }
  return { ...event, data: whole };
}

/** Parses gzipped JSON whose bytes are the character codes of a string. */
async function unzipped(letters: string): Promise<unknown> {
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
