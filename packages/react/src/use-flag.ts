import type { FlagKey, FlagPayloadOf, FlagSnapshot, FlagValueOf } from '@tidemark/client';
import type { FlagReader } from './scope.js';
import { useRead, useScope } from './use-analytics.js';

/**
 * Whether the flag is on: false, too, while nothing is known and for a flag that does not exist.
 *
 * @example
 * ```tsx
 * const isNew = useFeatureFlagEnabled('new-checkout');
 * return isNew ? <NewCheckout /> : <Checkout />;
 * ```
 */
export function useFeatureFlagEnabled(flagKey: FlagKey): boolean {
  const { watch, enabled } = useReader(flagKey);
  return useRead(watch, enabled);
}

/**
 * The key of the person's variant; true or false for a flag without variants or that is off; undefined while nothing is known.
 *
 * @example
 * ```tsx
 * const layout = useFeatureFlagVariantKey('layout');
 * return layout === 'test' ? <Grid /> : <List />;
 * ```
 */
export function useFeatureFlagVariantKey<Key extends FlagKey>(flagKey: Key): FlagValueOf<Key> | undefined;
export function useFeatureFlagVariantKey(flagKey: FlagKey): unknown {
  const { watch, value } = useReader(flagKey);
  return useRead(watch, value);
}

/**
 * The payload that goes with the person's value: null when there is none, undefined while nothing is known. Reading it alone does
 * not count as using the flag.
 *
 * @example
 * ```tsx
 * const banner = useFeatureFlagPayload('banner');
 * ```
 */
export function useFeatureFlagPayload<Key extends FlagKey>(flagKey: Key): FlagPayloadOf<Key> | null | undefined;
export function useFeatureFlagPayload(flagKey: FlagKey): unknown {
  const { subscribe, flag } = useScope();
  return useRead(subscribe, flag(flagKey).payload);
}

/**
 * All about a flag: value, variant, payload and reason, where it comes from (`source`) and how much it is worth (`status`).
 *
 * @example
 * ```tsx
 * const { status, enabled } = useFlag('new-checkout');
 * if (status === 'loading') return <Spinner />;
 * return enabled ? <NewCheckout /> : <Checkout />;
 * ```
 */
export function useFlag<Key extends FlagKey>(flagKey: Key): FlagSnapshot<Key>;
export function useFlag(flagKey: FlagKey): FlagSnapshot {
  const { watch, snapshot } = useReader(flagKey);
  return useRead(watch, snapshot);
}

/**
 * The keys of all flags that are on for the person.
 *
 * @example
 * ```tsx
 * const keys = useActiveFeatureFlags();
 * ```
 */
export function useActiveFeatureFlags(): readonly FlagKey[] {
  const { subscribe, activeKeys } = useScope();
  return useRead(subscribe, activeKeys);
}

function useReader(flagKey: FlagKey): FlagReader {
  return useScope().flag(flagKey);
}
