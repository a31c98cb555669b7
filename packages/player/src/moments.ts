import { EventType, type eventWithTime, IncrementalSource, MouseInteractions } from 'rrweb';
import { type Icon, publicAddress } from './dom.js';
import type { Line } from './lines.js';
import { fieldsOf, listOf } from './mobile/index.js';
import { createNodeNames } from './node-names.js';
import { addressIn } from './timeline.js';

/** Something that happened in a recording. Times are epoch milliseconds. */
export interface Moment {
  kind: Extract<Icon, 'page' | 'click' | 'rage' | 'typed' | 'error' | 'console' | 'network'>;
  panel: 'events' | 'console' | 'network';
  at: number;
  title: string;
  detail: string;
}

/** What happened in the parts of a recording that are fetched. */
export interface Moments {
  /** Adds lines, also ones that it has already: seeking fetches some of them again. */
  add(line: Line): void;
  /** All moments by time. Quick clicks on the same place, and keys in the same field, are one moment. */
  list(): Moment[];
  /** Times of input by the person, sorted. */
  inputs(): number[];
}

interface Point {
  x: number;
  y: number;
}
interface Entry extends Moment {
  windowId?: string;
  address?: string;
  click?: Point;
  field?: string;
}

/** Three clicks within a second and 30 pixels are a rage click, as in autocapture. */
const RAGE = { clicks: 3, ms: 1_000, pixels: 30 };
/** Keys in one field with shorter pauses are one moment. */
const TYPING_MS = 5_000;
const CLICKS: ReadonlySet<unknown> = new Set([MouseInteractions.Click, MouseInteractions.TouchEnd]);
const INPUTS: ReadonlySet<unknown> = new Set([1, 2, 3, 5, 6, 12]);
const LONGEST = 400;

export function createMoments(): Moments {
  const entries = new Map<string, Entry>();
  const times = new Set<number>();
  const names = new Map<string, ReturnType<typeof createNodeNames>>();

  const namesOf = (windowId: string) => {
    const known = names.get(windowId) ?? createNodeNames();
    names.set(windowId, known);
    return known;
  };
  return {
    add({ windowId, event }) {
      const nodes = namesOf(windowId);
      nodes.note(event);
      const { timestamp: at, type } = event;
      const data = fieldsOf(event.data);
      if (type === EventType.IncrementalSnapshot && INPUTS.has(data['source'])) times.add(at);
      for (const [index, entry] of entriesOf(event, (id) => nodes.nameOf(id)).entries()) {
        entries.set([windowId, at, type, index, entry.title, data['id']].join(), { ...entry, windowId });
      }
    },
    list: () => grouped([...entries.values()].sort((a, b) => a.at - b.at)),
    inputs: () => [...times].sort((a, b) => a - b),
  };
}

function entriesOf(event: eventWithTime, nameOf: (id: unknown) => string): Entry[] {
  const { type, timestamp: at } = event;
  const data = fieldsOf(event.data);
  const href = addressIn(event);
  if (href !== undefined) return publicAddress(href) ? [page(at, href)] : [];
  if (type === EventType.Plugin) return logged(at, data);
  if (type !== EventType.IncrementalSnapshot) return [];
  if (data['source'] === IncrementalSource.MouseInteraction && CLICKS.has(data['type'])) {
    const click = { x: Number(data['x']), y: Number(data['y']) };
    return [{ kind: 'click', panel: 'events', at, title: 'Clicked', detail: quoted(nameOf(data['id'])), click }];
  }
  if (data['source'] === IncrementalSource.Input) {
    return [{ kind: 'typed', panel: 'events', at, title: 'Typed', detail: nameOf(data['id']), field: String(data['id']) }];
  }
  return [];
}

const page = (at: number, href: string): Entry => {
  const address = publicAddress(href);
  const detail = URL.canParse(address) ? new URL(address).pathname : address;
  return { kind: 'page', panel: 'events', at, title: 'Page view', detail, address };
};

/** Lines of the console and requests, as the plugins of rrweb and posthog-js write them. An error is a moment of the events, too. */
function logged(at: number, { plugin, payload }: Record<string, unknown>): Entry[] {
  if (plugin === 'rrweb/console@1') {
    const { level, payload: parts } = fieldsOf(payload);
    const isError = level === 'error' || level === 'assert';
    const detail = listOf(parts).map(unquoted).join(' ').slice(0, LONGEST);
    const line: Entry = { kind: isError ? 'error' : 'console', panel: 'console', at, title: String(level ?? 'log'), detail };
    return isError ? [{ ...line, panel: 'events', title: 'Error' }, line] : [line];
  }
  if (plugin !== 'rrweb/network@1') return [];
  return listOf(fieldsOf(payload)['requests'])
    .map(fieldsOf)
    .map((request) => {
      const { name, method, initiatorType, responseStatus, status = responseStatus, duration } = request;
      const took = Number(duration);
      const facts = [status, Number.isFinite(took) && `${Math.round(took)} ms`, publicAddress(String(name ?? ''))];
      const sent = Number(request['timestamp']);
      const failed = Number(status) >= 400;
      return {
        kind: failed ? 'error' : 'network',
        panel: 'network',
        at: Number.isFinite(sent) && sent > 0 ? sent : at,
        title: String(method ?? initiatorType ?? 'Request'),
        detail: facts.filter(Boolean).join(' · '),
      };
    });
}

/** Leaves out keys that follow others in their field, and pages that did not change, and makes one moment of a rage click. */
function grouped(entries: readonly Entry[]): Moment[] {
  const list: Entry[] = [];
  const addresses = new Map<string | undefined, string>();
  let typed: Entry | undefined;
  let burst: Entry[] = [];
  const endBurst = () => {
    const [first, ...others] = burst;
    burst = [];
    if (!first || others.length < RAGE.clicks - 1) return;
    Object.assign(first, { kind: 'rage', title: `Clicked ${others.length + 1} times fast` });
    for (const other of others) list.splice(list.indexOf(other), 1);
  };
  for (const entry of entries) {
    const { at, field, click, address, windowId } = entry;
    // each snapshot of the whole page repeats its address
    if (address !== undefined && addresses.get(windowId) === address) continue;
    if (address !== undefined) addresses.set(windowId, address);
    const isRepeated = field !== undefined && field === typed?.field && at - typed.at < TYPING_MS;
    if (field !== undefined) typed = entry;
    if (isRepeated) continue;
    const own = { ...entry };
    const last = burst.at(-1);
    if (click && !(last?.click && at - last.at <= RAGE.ms && isNear(click, last.click))) endBurst();
    if (click) burst.push(own);
    list.push(own);
  }
  endBurst();
  return list;
}

const isNear = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y) <= RAGE.pixels;
const quoted = (text: string) => text && `“${text}”`;

/** A part of a logged line; recorders write texts as JSON. */
function unquoted(part: unknown): string {
  try {
    const value: unknown = JSON.parse(String(part));
    return typeof value === 'string' ? value : String(part);
  } catch {
    return String(part);
  }
}
