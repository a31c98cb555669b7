import type { FlagValue } from './flags/types.js';
import { isRecord } from './is-record.js';

/** What decides whether a session is recorded, as the project set it. What is not set is undefined and plays no part. */
export interface ReplayControls {
  /** Share of the sessions, 0 to 1. */
  sampleRate: number | undefined;
  /** `variant` undefined: any value but false. */
  linkedFlag: { flag: string; variant: string | undefined } | undefined;
  eventTriggers: readonly string[];
  urlTriggers: readonly RegExp[];
  /** Recording pauses on these addresses, whatever the rest says. */
  urlBlocklist: readonly RegExp[];
  /** Whether all conditions must be met or one is enough. */
  match: 'all' | 'any';
  /** Nothing is sent of sessions that are shorter. Never one of the conditions. */
  minimumMs: number;
}

/** What the conditions are held to. */
export interface ReplayFacts {
  sessionId: string;
  /** Absent where there are no addresses, as in apps. */
  url?: string;
  /** The linked flag's value; asked only when there is one. */
  flag(key: string): FlagValue | undefined;
  /** What happened in this session so far. */
  triggered: ReplayTriggers;
}

export interface ReplayTriggers {
  event?: boolean;
  url?: boolean;
}

/** What is stored of triggers: they stay for their session. */
export interface SessionTriggers extends ReplayTriggers {
  session: string;
}

/**
 * Reads `sessionRecording` of the remote config; undefined: the project does not record.
 * @param warn told of settings that cannot be right and count as not set
 */
export function readReplayControls(remote: unknown, warn: (sentence: string) => void): ReplayControls | undefined {
  if (!isRecord(remote)) return undefined;
  const { linkedFlag: linked, minimumDurationMilliseconds: minimum } = remote;
  if (typeof minimum === 'number' && minimum < 0)
    warn('Session recording: the negative minimum duration in the project settings is ignored.');
  return {
    sampleRate: readRate(remote.sampleRate, warn),
    linkedFlag: readLinked(linked),
    eventTriggers: texts(remote.eventTriggers, (item) => item),
    urlTriggers: patterns(remote.urlTriggers, warn),
    urlBlocklist: patterns(remote.urlBlocklist, warn),
    match: remote.triggerMatchType === 'any' ? 'any' : 'all',
    minimumMs: typeof minimum === 'number' && minimum > 0 ? minimum : 0,
  };
}

/** As apps have it, and native recorders: there are no addresses, and all conditions must be met. */
export function appControls(controls: ReplayControls): ReplayControls {
  return { ...controls, urlTriggers: [], urlBlocklist: [], match: 'all' };
}

/** Whether a session belongs to the share that is recorded: always the same for the same session and rate, on every platform. */
export function isSampled(sessionId: string, rate: number): boolean {
  let hash = 0;
  for (let i = 0; i < sessionId.length; i++) hash = (hash * 31 + sessionId.charCodeAt(i)) | 0;
  return Math.abs(hash) % 100 < rate * 100;
}

/** Whether an event or an address sets a trigger off that had not been before; notes it in `triggered`. */
export function noteTrigger(
  controls: ReplayControls,
  triggered: ReplayTriggers,
  happened: { event?: string; url?: string | undefined },
): boolean {
  const { event, url } = happened;
  const byEvent = !triggered.event && event !== undefined && controls.eventTriggers.includes(event);
  const byUrl = !triggered.url && url !== undefined && controls.urlTriggers.some((pattern) => pattern.test(url));
  if (byEvent) triggered.event = true;
  if (byUrl) triggered.url = true;
  return byEvent || byUrl;
}

/** `wait`: a condition is not met, or not yet. `pause`: all conditions are met, but the URL is on the block list. */
export function decideReplay(controls: ReplayControls, facts: ReplayFacts): 'record' | 'pause' | 'wait' {
  const { sampleRate, linkedFlag, eventTriggers, urlTriggers, urlBlocklist, match } = controls;
  const { sessionId, url, triggered } = facts;
  const conditions: boolean[] = [];
  if (sampleRate !== undefined) conditions.push(isSampled(sessionId, sampleRate));
  if (eventTriggers.length) conditions.push(!!triggered.event);
  if (urlTriggers.length) conditions.push(!!triggered.url);
  if (linkedFlag) {
    const value = facts.flag(linkedFlag.flag);
    conditions.push(linkedFlag.variant === undefined ? !!value : value === linkedFlag.variant);
  }
  const met = match === 'any' && conditions.length ? conditions.includes(true) : !conditions.includes(false);
  if (!met) return 'wait';
  return url !== undefined && urlBlocklist.some((pattern) => pattern.test(url)) ? 'pause' : 'record';
}

/** Reads what is stored of triggers. */
export const parseTriggers = (stored: unknown): SessionTriggers | undefined =>
  isRecord(stored) && typeof stored.session === 'string'
    ? { session: stored.session, event: stored.event === true, url: stored.url === true }
    : undefined;

function readRate(value: unknown, warn: (sentence: string) => void): number | undefined {
  if (value == null || value === '') return undefined;
  const rate = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  if (rate >= 0 && rate <= 1) return rate;
  warn(`Session recording: the sample rate in the project settings must be 0 to 1, so ${value} is ignored.`);
  return undefined;
}

function readLinked(value: unknown): ReplayControls['linkedFlag'] {
  if (typeof value === 'string' && value) return { flag: value, variant: undefined };
  if (!isRecord(value) || typeof value.flag !== 'string' || !value.flag) return undefined;
  return { flag: value.flag, variant: typeof value.variant === 'string' && value.variant ? value.variant : undefined };
}

function texts(value: unknown, textOf: (item: unknown) => unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value.map(textOf) : [];
  return list.filter((item): item is string => typeof item === 'string' && item !== '');
}

function patterns(value: unknown, warn: (sentence: string) => void): RegExp[] {
  return texts(value, (item) => (isRecord(item) ? item.url : undefined)).flatMap((source) => {
    try {
      return [new RegExp(source)];
    } catch {
      warn(`Session recording: a pattern in the project settings is no regular expression, so it is ignored: ${source}`);
      return [];
    }
  });
}
