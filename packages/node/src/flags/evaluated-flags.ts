import type { EvaluatedFlag, FlagMap } from './evaluated-flag.js';

/**
 * A snapshot of the flags of one person. It never changes and makes no requests: read it any number of times, and pass it to `capture`.
 *
 * @example
 * const flags = await analytics.evaluateFlags('user-1');
 * if (flags.isEnabled('new-checkout')) showNewCheckout(flags.getFlagPayload('new-checkout'));
 * analytics.capture({ distinctId: 'user-1', event: 'checkout shown', flags });
 */
export interface EvaluatedFlags {
  /** Whether the flag is on, with any variant; `defaultValue` (false) when there is no such flag. */
  isEnabled(key: string, defaultValue?: boolean): boolean;
  /** False, true, or the variant; `defaultValue` (undefined) when there is no such flag. */
  getFlag(key: string, defaultValue?: boolean | string): boolean | string | undefined;
  /** The JSON value that comes with the flag's value; null: none; undefined: no such flag. Not counted as a use of the flag. */
  getFlagPayload(key: string): unknown;
  readonly keys: readonly string[];
  /** Those of the keys; the others are left out with a warning. */
  only(keys: readonly string[]): EvaluatedFlags;
  /** Those that were read with `isEnabled` or `getFlag`. */
  onlyAccessed(): EvaluatedFlags;
  /** `$feature/<key>` of each flag, and `$active_feature_flags`. */
  eventProperties(): Record<string, unknown>;
}

export interface EvaluatedFlagsPort {
  /** Hears of each read, also of keys that there are not (`flag` undefined). */
  called(key: string, flag: EvaluatedFlag | undefined): void;
  warn(text: string): void;
}

export function createEvaluatedFlags(flags: FlagMap, port: EvaluatedFlagsPort): EvaluatedFlags {
  return view(flags, port, false);
}

function view(flags: FlagMap, port: EvaluatedFlagsPort, filtered: boolean): EvaluatedFlags {
  const accessed = new Set<string>();
  const read = (key: string) => {
    const flag = flags.get(key);
    if (flag) accessed.add(key);
    // a flag that a filter removed is not missing
    if (flag || !filtered) port.called(key, flag);
    return flag?.value;
  };
  const picked = (keys: Iterable<string>) => {
    const wanted = new Set(keys);
    return view(new Map([...flags].filter(([key]) => wanted.has(key))), port, true);
  };
  return {
    isEnabled: (key, defaultValue = false) => {
      const value = read(key);
      return value === undefined ? defaultValue : value !== false;
    },
    getFlag: (key, defaultValue) => read(key) ?? defaultValue,
    getFlagPayload: (key) => flags.get(key)?.payload,
    keys: [...flags.keys()],
    only: (keys) => {
      const missing = keys.filter((key) => !flags.has(key));
      if (missing.length) port.warn(`No such flags in this evaluation: ${missing.join(', ')}`);
      return picked(keys);
    },
    onlyAccessed: () => picked(accessed),
    eventProperties: () => {
      const properties: Record<string, unknown> = {};
      for (const [key, { value }] of flags) properties[`$feature/${key}`] = value;
      const active = [...flags].filter(([, { value }]) => value !== false).map(([key]) => key);
      return { ...properties, $active_feature_flags: active.sort() };
    },
  };
}
