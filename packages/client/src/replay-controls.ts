import type { FlagValue } from './flags/types.js';
import { isRecord } from './is-record.js';

/** The project's conditions for recording a session. A condition that is not set is undefined, or an empty list, and is not checked. */
export interface ReplayControls {
  /** Share of the sessions, 0 to 1. */
  sampleRate: number | undefined;
  /** `variant` undefined: any value but false. */
  linkedFlag: { flag: string; variant: string | undefined } | undefined;
  eventTriggers: readonly string[];
  urlTriggers: readonly RegExp[];
  /** Recording pauses on these URLs, even if all conditions are met. */
  urlBlocklist: readonly RegExp[];
  /** Whether all conditions must be met, or one is enough. */
  match: 'all' | 'any';
  /** Sessions shorter than this are not sent. It is not one of the conditions. */
  minimumMs: number;
}

/** What the conditions are checked against. */
export interface ReplayFacts {
  sessionId: string;
  /** Absent in apps, which have no URLs. */
  url?: string;
  /** The value of the linked flag; called only when there is one. */
  flag(key: string): FlagValue | undefined;
  /** The triggers that this session has set off. */
  triggered: ReplayTriggers;
}

export interface ReplayTriggers {
  event?: boolean;
  url?: boolean;
}

/** Triggers as they are stored. They hold for the rest of their session. */
export interface SessionTriggers extends ReplayTriggers {
  session: string;
}

/**
 * Reads `sessionRecording` of the remote config; undefined: the project does not record.
 * @param warn called for each invalid setting, which counts as not set
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

/** The conditions as apps and native recorders support them: no URLs, and all must be met. */
export function appControls(controls: ReplayControls): ReplayControls {
  return { ...controls, urlTriggers: [], urlBlocklist: [], match: 'all' };
}

/** Whether a session is in the sample. A hash of its id decides, so that the answer is the same on every platform and page. */
export function isSampled(sessionId: string, rate: number): boolean {
  let hash = 0;
  for (let i = 0; i < sessionId.length; i++) hash = (hash * 31 + sessionId.charCodeAt(i)) | 0;
  return Math.abs(hash) % 100 < rate * 100;
}

/** Whether an event or a URL sets off a trigger for the first time in this session. Marks the trigger in `triggered`. */
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

/** Parses stored triggers; undefined when they are invalid. */
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
