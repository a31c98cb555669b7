import { type FlagsAnswer, type FlagValue, flagsFromValues, isRecord } from '@tidemark/client';

/**
 * Understands `{ featureFlags, featureFlagPayloads }`, the body of `/flags/?v=1` and `/decide`, as services and proxies that know no
 * newer version answer; undefined when it is not one. Older ones send a list of the keys that are on. `onBadPayload` is called for
 * payloads that are not JSON; they count as none.
 */
export function parseFirstVersion(body: unknown, onBadPayload: (key: string) => void): FlagsAnswer | undefined {
  const values = isRecord(body) ? valuesOf(body.featureFlags) : undefined;
  if (!isRecord(body) || !values) return undefined;
  const payloads: Record<string, unknown> = {};
  for (const [key, text] of Object.entries(isRecord(body.featureFlagPayloads) ? body.featureFlagPayloads : {})) {
    try {
      payloads[key] = typeof text === 'string' ? JSON.parse(text) : text;
    } catch {
      onBadPayload(key);
    }
  }
  const { quotaLimited, requestId, errorsWhileComputingFlags } = body;
  return {
    flags: flagsFromValues(values, payloads),
    partial: errorsWhileComputingFlags === true,
    quotaLimited: Array.isArray(quotaLimited) && quotaLimited.includes('feature_flags'),
    requestId: typeof requestId === 'string' ? requestId : undefined,
    minimal: false,
  };
}

function valuesOf(flags: unknown): Record<string, FlagValue> | undefined {
  if (Array.isArray(flags)) return Object.fromEntries(flags.map((key) => [String(key), true]));
  if (!isRecord(flags)) return undefined;
  const isValue = (entry: [string, unknown]): entry is [string, FlagValue] =>
    typeof entry[1] === 'boolean' || typeof entry[1] === 'string';
  return Object.fromEntries(Object.entries(flags).filter(isValue));
}
