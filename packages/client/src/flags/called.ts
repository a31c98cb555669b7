import type { Properties } from '../event.js';
import type { FlagsAnswer, KnownFlag } from './answer.js';
import type { FlagValue } from './types.js';

/** A set of reported keys with a limited size: the oldest key is dropped first. */
export interface CalledTracker {
  /** True on the first call for this key. */
  isFirst(key: string): boolean;
  keys(): string[];
  clear(): void;
}

export function createCalledTracker(capacity = 1000, before: Iterable<string> = []): CalledTracker {
  const reported = new Set(before);
  return {
    isFirst(key) {
      if (reported.has(key)) return false;
      reported.add(key);
      if (reported.size > capacity) reported.delete([...reported][0] ?? key);
      return true;
    },
    keys: () => [...reported],
    clear: () => reported.clear(),
  };
}

/** The key of a report where one client serves many persons. The order of groups does not matter. */
export function calledKey(
  flag: string,
  value: FlagValue | undefined,
  distinctId: string,
  groups: Record<string, string> = {},
): string {
  return JSON.stringify([flag, `${value}`, distinctId, Object.entries(groups).sort()]);
}

/** The properties of `$feature_flag_called`. */
export function calledProperties(
  flag: string,
  known: Partial<KnownFlag> | undefined,
  answer: Pick<FlagsAnswer, 'requestId' | 'evaluatedAt'>,
): Properties {
  const { value, payload, id, version, reason, hasExperiment } = known ?? {};
  const all = {
    payload,
    id,
    version,
    reason,
    has_experiment: hasExperiment,
    request_id: answer.requestId,
    evaluated_at: answer.evaluatedAt,
    error: known ? undefined : 'flag_missing',
  };
  const properties: Properties = { $feature_flag: flag, $feature_flag_response: value };
  for (const [name, detail] of Object.entries(all)) if (detail != null) properties[`$feature_flag_${name}`] = detail;
  return properties;
}

const KEPT_IN_MINIMAL =
  /^(\$(groups|process_person_profile|session_id|(lib|os|browser)(_version)?|is_server|device_type|runtime\w*|referring_domain)|utm_\w+|\w*(clid|clsrc|_cid|braid)|gad_source|_kx|igshid|epik|sccid|li_fat_id)$/;

/** Removes the properties of every event that the short form of `$feature_flag_called` does not have. */
export function keepMinimal(properties: Properties): void {
  for (const name of Object.keys(properties)) if (!KEPT_IN_MINIMAL.test(name)) delete properties[name];
}
