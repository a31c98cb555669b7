import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { ReplayPart } from '../decode/index.js';
import { cleanText } from '../storable.js';

/** Totals of a part of a recording, to be added to those of the whole. Times are epoch milliseconds. */
export interface Summary {
  start: number;
  end: number;
  clicks: number;
  keypresses: number;
  mouseActivity: number;
  consoleLogs: number;
  consoleWarnings: number;
  consoleErrors: number;
  activeMs: number;
  /** Time of the first and last activity; null: none. */
  firstActive: number | null;
  lastActive: number | null;
  /** URLs of pages, in order, each once. */
  urls: string[];
}

/** Kinds of rrweb's events, and of its incremental snapshots. */
const INCREMENTAL = 3;
const META = 4;
const PLUGIN = 6;
const MOUSE_INTERACTION = 2;
const INPUT = 5;
/** Interaction that counts as a click: pages send a touch and the click it causes, apps only touches. */
const CLICK = { web: 2, mobile: 9 };
const MOUSE: ReadonlySet<unknown> = new Set([1, 2, 6, 12]);
/** Sources that count as activity: mouse, scrolling, window resize, input, touch, media, dragging. */
const ACTIVE: ReadonlySet<unknown> = new Set([1, 2, 3, 4, 5, 6, 7, 12]);
/** Longer pauses between two activities do not count as active time. */
export const ACTIVE_GAP_MS = 5_000;
const YEAR_2000 = Date.UTC(2000, 0, 1);
const TOLERATED_FUTURE = 24 * 3_600_000;
const MAX_URL = 2_000;
const MAX_URLS = 50;

/** Summarizes snapshots in one pass. Implausible times count as `now`. */
export function summarize({ snapshots, source }: Pick<ReplayPart, 'snapshots' | 'source'>, now: number): Summary {
  const summary: Summary = {
    start: Number.POSITIVE_INFINITY,
    end: Number.NEGATIVE_INFINITY,
    clicks: 0,
    keypresses: 0,
    mouseActivity: 0,
    consoleLogs: 0,
    consoleWarnings: 0,
    consoleErrors: 0,
    activeMs: 0,
    firstActive: null,
    lastActive: null,
    urls: [],
  };
  for (const { snapshot } of snapshots) {
    const at = timeOf(snapshot.timestamp, now);
    summary.start = Math.min(summary.start, at);
    summary.end = Math.max(summary.end, at);
    const data = isObject(snapshot.data) ? snapshot.data : {};
    if (snapshot.type === INCREMENTAL) countIncremental(summary, data, CLICK[source], at);
    else if (snapshot.type === META) addUrl(summary, data.href);
    else if (snapshot.type === PLUGIN) countConsole(summary, data);
  }
  return summary;
}

export function timeOf(value: Json | undefined, now: number): number {
  const usable = typeof value === 'number' && value >= YEAR_2000 && value <= now + TOLERATED_FUTURE;
  return usable ? Math.trunc(value) : now;
}

function countIncremental(summary: Summary, { source, type }: JsonObject, click: number, at: number): void {
  if (source === MOUSE_INTERACTION && type === click) summary.clicks += 1;
  if (source === INPUT) summary.keypresses += 1;
  if (MOUSE.has(source)) summary.mouseActivity += 1;
  if (!ACTIVE.has(source)) return;
  summary.firstActive ??= at;
  const pause = at - (summary.lastActive ?? at);
  if (pause > 0 && pause < ACTIVE_GAP_MS) summary.activeMs += pause;
  summary.lastActive = Math.max(at, summary.lastActive ?? at);
}

function addUrl(summary: Summary, href: Json | undefined): void {
  if (typeof href !== 'string' || href === '' || summary.urls.length >= MAX_URLS) return;
  const url = cleanText(href).slice(0, MAX_URL);
  if (!summary.urls.includes(url)) summary.urls.push(url);
}

function countConsole(summary: Summary, { plugin, payload }: JsonObject): void {
  if (plugin !== 'rrweb/console@1' || !isObject(payload)) return;
  if (payload.level === 'error' || payload.level === 'assert') summary.consoleErrors += 1;
  else if (payload.level === 'warn') summary.consoleWarnings += 1;
  else summary.consoleLogs += 1;
}
