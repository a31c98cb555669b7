import { isRecord } from '../is-record.js';
import type { FlagValue } from './types.js';

/** A flag as the server (or bootstrap) gave it. */
export interface KnownFlag {
  value: FlagValue;
  /** Parsed; null when there is none. */
  payload: unknown;
  reason?: string | undefined;
  /** Metadata for `$feature_flag_called`, unchanged. */
  id?: unknown;
  version?: unknown;
  hasExperiment?: unknown;
}

export interface FlagsAnswer {
  flags: Record<string, KnownFlag>;
  /** The server could not compute some flags: those keep their values. */
  partial: boolean;
  /** The project is over its quota of flag requests, so the answer has no flags. */
  quotaLimited: boolean;
  requestId?: string | undefined;
  /** Epoch milliseconds. */
  evaluatedAt?: number | undefined;
  /** The server accepts the short form of `$feature_flag_called`. */
  minimal: boolean;
}

/** Parses the body of `/flags/?v=2`; undefined when it is invalid. `onBadPayload` is called for each payload that is not JSON, which counts as none. */
export function parseFlagsAnswer(body: unknown, onBadPayload?: (key: string) => void): FlagsAnswer | undefined {
  if (!isRecord(body) || !isRecord(body.flags)) return undefined;
  const flags: Record<string, KnownFlag> = {};
  for (const [key, detail] of Object.entries(body.flags)) {
    if (!isRecord(detail) || detail.failed) continue;
    const { enabled, variant, reason, metadata } = detail;
    const { payload, id, version, has_experiment } = isRecord(metadata) ? metadata : {};
    const known: KnownFlag = {
      value: enabled === true && (typeof variant === 'string' ? variant : true),
      payload: null,
      reason: isRecord(reason) ? String(reason.description) : undefined,
      id,
      version,
      hasExperiment: has_experiment,
    };
    try {
      if (typeof payload === 'string') known.payload = JSON.parse(payload);
    } catch {
      onBadPayload?.(key);
    }
    flags[key] = known;
  }
  return {
    flags,
    partial: body.errorsWhileComputingFlags === true,
    quotaLimited: JSON.stringify(body.quotaLimited ?? 0).includes('"feature_flags"'),
    requestId: typeof body.requestId === 'string' ? body.requestId : undefined,
    evaluatedAt: typeof body.evaluatedAt === 'number' ? body.evaluatedAt : undefined,
    minimal: body.minimalFlagCalledEvents === true,
  };
}

/** Flags from plain values, as bootstrap and overrides give them; what servers render may be null where there are none. */
export function flagsFromValues(
  values?: Record<string, FlagValue> | null,
  payloads?: Record<string, unknown> | null,
): Record<string, KnownFlag> {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([key, value]) => [
      key,
      { value, payload: value === false ? null : (payloads?.[key] ?? null) },
    ]),
  );
}
