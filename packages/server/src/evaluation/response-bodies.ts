import type { FlagResult, ReasonCode } from '@tidemark/flags';
import type { DecideResponse, FlagDetail } from '@tidemark/wire';
import type { FlagRow } from './store.js';

/** Result of a flag. */
export interface Evaluated {
  flag: FlagRow;
  /** null: evaluation failed, because stored data could not be read. */
  result: FlagResult | null;
}

/** Fields of every response about flags. */
export interface ResponseMeta {
  requestId: string;
  /** Epoch milliseconds. */
  evaluatedAt: number;
}

const DESCRIPTIONS: Record<ReasonCode, string> = {
  missing_dependency: 'A flag that this one depends on is missing, or depends on it',
  flag_disabled: 'Feature flag is disabled',
  no_group_type: 'No group of this type in the request',
  no_condition_match: 'No matching condition set',
  out_of_rollout_bound: 'Out of rollout bound',
  condition_match: 'Matched condition set',
  holdout_condition_value: 'Held out of the flag',
  super_condition_value: 'Decided by enrollment in early access',
};

/** A result of a flag as JSON, memoized: few results are distinct, and many responses need them. */
interface EncodedResult {
  reason: ReasonCode | null;
  conditionIndex: number | null;
  value: boolean | string;
  text: string;
}

const encodedResults = new WeakMap<FlagRow, EncodedResult[]>();
/** Limit of memoized results per flag. */
const MAX_ENCODED_RESULTS = 64;

/** JSON of `/flags?v=2` and `/decide?v=4`. */
export function v2Body(evaluated: readonly Evaluated[], { requestId, evaluatedAt }: ResponseMeta): string {
  let flags = '';
  let failed = false;
  for (const each of evaluated) {
    flags += `${flags && ','}${encodeDetail(each)}`;
    failed ||= each.result === null;
  }
  return `{"flags":{${flags}},"errorsWhileComputingFlags":${failed},"requestId":"${requestId}","evaluatedAt":${evaluatedAt}}`;
}

function encodeDetail({ flag, result }: Evaluated): string {
  let known = encodedResults.get(flag);
  if (!known) {
    known = [];
    encodedResults.set(flag, known);
  }
  const reason = result?.reason ?? null;
  const conditionIndex = result?.conditionIndex ?? null;
  const value = result?.value ?? false;
  for (const one of known) {
    if (one.reason === reason && one.conditionIndex === conditionIndex && one.value === value) return one.text;
  }
  const text = `${JSON.stringify(flag.key)}:${JSON.stringify(makeDetail(flag, result))}`;
  if (known.length < MAX_ENCODED_RESULTS) known.push({ reason, conditionIndex, value, text });
  return text;
}

function makeDetail(flag: FlagRow, result: FlagResult | null): FlagDetail {
  const metadata = {
    id: flag.id,
    version: flag.version,
    description: null,
    payload: result ? payloadText(flag, result) : null,
    ...(flag.has_experiment ? { has_experiment: true } : {}),
  };
  if (!result) {
    const reason = { code: 'unknown', condition_index: null, description: 'What the flag looks at could not be read' };
    return { key: flag.key, enabled: false, variant: null, reason, metadata, failed: true };
  }
  const { reason: code, conditionIndex, value, variant } = result;
  const place = code === 'condition_match' && conditionIndex !== null ? ` ${conditionIndex + 1}` : '';
  return {
    key: flag.key,
    enabled: value !== false,
    variant,
    reason: { code, condition_index: conditionIndex, description: DESCRIPTIONS[code] + place },
    metadata,
  };
}

/** The payload as JSON text; null: none, or encrypted and therefore not public. */
function payloadText(flag: FlagRow, { payload, value }: FlagResult): string | null {
  if (payload === null || payload === undefined || value === false || flag.has_encrypted_payloads) return null;
  return typeof payload === 'string' ? payload : JSON.stringify(payload);
}

/** JSON of `/flags?v=1` and `/decide?v=3`. Failed flags are omitted: clients then use their former values. */
export function v1Body(evaluated: readonly Evaluated[], { requestId }: ResponseMeta): string {
  let flags = '';
  let payloads = '';
  let failed = false;
  for (const { flag, result } of evaluated) {
    failed ||= result === null;
    if (!result) continue;
    const key = JSON.stringify(flag.key);
    flags += `${flags && ','}${key}:${JSON.stringify(result.value)}`;
    const payload = payloadText(flag, result);
    if (payload !== null) payloads += `${payloads && ','}${key}:${JSON.stringify(payload)}`;
  }
  return `{"featureFlags":{${flags}},"featureFlagPayloads":{${payloads}},"errorsWhileComputingFlags":${failed},"requestId":"${requestId}"}`;
}

/** JSON of the first two versions of `/decide`, which contain only enabled flags. */
export function oldDecideBody(evaluated: readonly Evaluated[], version: number): string {
  const on = evaluated.flatMap(({ flag, result }) =>
    result && result.value !== false ? [[flag.key, result.value] as const] : [],
  );
  return JSON.stringify({
    featureFlags: version === 2 ? Object.fromEntries(on) : on.map(([key]) => key),
    errorsWhileComputingFlags: evaluated.some(({ result }) => result === null),
  } satisfies DecideResponse);
}

/** Merges the texts of two non-empty JSON objects. */
export const mergedBodies = (left: string, right: string): string => `${left.slice(0, -1)},${right.slice(1)}`;
