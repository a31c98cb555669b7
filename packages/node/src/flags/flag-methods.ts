import type { ClientLog, FlagKey, FlagPayloadOf, FlagResult, FlagValue, FlagValueOf } from '@tidemark/client';
import { groupKeys } from '../events/event-maker.js';
import type { EvaluationOptions, FlagOptions, NodeClient } from '../node-client.js';
import type { EvaluatedFlag, FlagMap } from './evaluated-flag.js';
import { createEvaluatedFlags } from './evaluated-flags.js';
import type { Evaluation, FlagEvaluator } from './flag-evaluator.js';
import { flagsOf, noOverrides } from './flag-overrides.js';
import type { FlagSubject } from './flag-subject.js';

/** One read of a flag, as it may be reported. */
export interface FlagRead {
  key: string;
  subject: FlagSubject;
  /** Undefined: there is no such flag. */
  flag: EvaluatedFlag | undefined;
  evaluation: Evaluation;
}

interface Ports {
  evaluator: FlagEvaluator;
  log: ClientLog;
  /** The distinct id of a call: the argument, or that of the request. */
  distinctIdOf(given: unknown): string | undefined;
  /** Called for every read that must be reported. */
  called(read: FlagRead): void;
  onlyLocally: boolean;
}

export type FlagMethods = Pick<
  NodeClient,
  | 'isFeatureEnabled'
  | 'getFeatureFlag'
  | 'getFeatureFlagPayload'
  | 'getFeatureFlagResult'
  | 'getFeatureFlags'
  | 'getFeatureFlagsAndPayloads'
  | 'evaluateFlags'
  | 'featureFlags'
  | 'setPersonPropertiesForFlags'
  | 'resetPersonPropertiesForFlags'
  | 'setGroupPropertiesForFlags'
  | 'resetGroupPropertiesForFlags'
> & { forgetFlags(): void };

const NOBODY: Evaluation = { flags: new Map(), minimal: false };

export function createFlagMethods({ evaluator, log, distinctIdOf, called, onlyLocally }: Ports): FlagMethods {
  let overrides = noOverrides();

  function subjectOf(distinctId: string, options: EvaluationOptions): FlagSubject {
    const groupProperties: Record<string, Record<string, unknown>> = { ...overrides.groupProperties };
    for (const [type, properties] of Object.entries(options.groupProperties ?? {})) {
      groupProperties[type] = { ...groupProperties[type], ...properties };
    }
    return {
      distinctId,
      deviceId: options.deviceId,
      disableGeoip: options.disableGeoip,
      groups: groupKeys(options.groups),
      personProperties: { ...overrides.personProperties, ...options.personProperties },
      groupProperties,
    };
  }

  /** Without a distinct id there are no flags, no request and no report. */
  async function evaluate(id: unknown, given?: EvaluationOptions, keys?: readonly string[]) {
    const options = given ?? {};
    const distinctId = distinctIdOf(id);
    if (!distinctId) {
      log.debug('Flags were read without a distinct id: pass one, or call within a request');
      return undefined;
    }
    const subject = subjectOf(distinctId, options);
    const evaluation = await evaluator
      .evaluate(subject, keys, options.onlyEvaluateLocally ?? onlyLocally)
      .catch((error: unknown) => {
        log.warn('Flags could not be evaluated:', error);
        return { ...NOBODY, error: 'unknown_error' };
      });
    const own = [...overrides.flags].filter(([key]) => keys?.includes(key) ?? true);
    return { subject, evaluation: own.length ? { ...evaluation, flags: new Map([...evaluation.flags, ...own]) } : evaluation };
  }

  async function read(key: string, id: unknown, options: EvaluationOptions | undefined, tracking: boolean) {
    const found = await evaluate(id, options, [key]);
    const flag = found?.evaluation.flags.get(key);
    if (found && tracking) called({ key, flag, ...found });
    return flag;
  }

  const value = async (key: string, id: unknown, options?: FlagOptions) =>
    (await read(key, id, options, options?.tracking !== false))?.value ?? options?.defaultValue;

  return {
    isFeatureEnabled: async (key, distinctId, options) => {
      const found = await value(key, distinctId, options);
      return found === undefined ? undefined : found !== false;
    },
    getFeatureFlag: async <Key extends FlagKey>(key: Key, distinctId?: string, options?: FlagOptions) =>
      registered<FlagValueOf<Key> | undefined>(await value(key, distinctId, options)),
    getFeatureFlagPayload: async <Key extends FlagKey>(key: Key, distinctId?: string, options?: EvaluationOptions) =>
      registered<FlagPayloadOf<Key> | null | undefined>((await read(key, distinctId, options, false))?.payload),
    getFeatureFlagResult: async <Key extends FlagKey>(key: Key, distinctId?: string, options?: FlagOptions) => {
      const flag = await read(key, distinctId, options, options?.tracking !== false);
      if (!flag) return undefined;
      const { value, payload } = flag;
      return registered<FlagResult<Key>>({
        key,
        enabled: value !== false,
        ...(typeof value === 'string' ? { variant: value } : {}),
        payload,
      });
    },
    getFeatureFlags: async (distinctId, options) => {
      const found = await evaluate(distinctId, options);
      return valuesOf(found?.evaluation.flags ?? NOBODY.flags);
    },
    getFeatureFlagsAndPayloads: async (distinctId, options) => {
      const { flags } = (await evaluate(distinctId, options))?.evaluation ?? NOBODY;
      return { featureFlags: valuesOf(flags), featureFlagPayloads: payloadsOf(flags) };
    },
    evaluateFlags: async (distinctId, given) => {
      const { flagKeys, ...options } = given ?? {};
      const found = await evaluate(distinctId, options, flagKeys);
      return createEvaluatedFlags(found?.evaluation.flags ?? NOBODY.flags, {
        called: (key, flag) => found && called({ key, flag, ...found }),
        warn: log.warn,
      });
    },
    featureFlags: {
      override: (flags, payloads) => {
        overrides.flags = flagsOf(flags, payloads);
      },
    },
    setPersonPropertiesForFlags: (properties) => {
      overrides.personProperties = { ...overrides.personProperties, ...properties };
    },
    resetPersonPropertiesForFlags: () => {
      overrides.personProperties = {};
    },
    setGroupPropertiesForFlags: (properties) => {
      for (const [type, some] of Object.entries(properties ?? {})) {
        overrides.groupProperties[type] = { ...overrides.groupProperties[type], ...some };
      }
    },
    resetGroupPropertiesForFlags: (groupType) => {
      if (groupType === undefined) overrides.groupProperties = {};
      else delete overrides.groupProperties[groupType];
    },
    forgetFlags: () => {
      overrides = noOverrides();
      evaluator.forget();
    },
  };
}

const valuesOf = (flags: FlagMap): Record<string, FlagValue> =>
  Object.fromEntries([...flags].map(([key, { value }]) => [key, value]));

const payloadsOf = (flags: FlagMap): Record<string, unknown> =>
  Object.fromEntries([...flags].flatMap(([key, { payload }]) => (payload === null ? [] : [[key, payload]])));

/** Types the answer of the service as the flag is registered in `FlagRegistry`; it cannot be checked at run time. */
const registered = <Known>(answer: unknown): Known => answer as Known;
