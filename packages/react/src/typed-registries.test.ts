import { expect, test } from 'vitest';
import { asModules, complaintsOf } from './testing/complaints-of.js';

const DECLARED = `
declare module '@tidemark/react' {
  interface FlagRegistry {
    checkout: { value: boolean; payload: null };
    layout: { value: false | 'control' | 'test'; payload: { columns: number } };
  }
  interface EventRegistry {
    'Signed Up': { plan: 'free' | 'pro' };
    'Logged Out': {};
  }
}
`;

// each line after ts-expect-error is refused by the compiler, all others are not
const USES = `
import { AnalyticsFeature, type FlagKey, useActiveFeatureFlags, useAnalytics, useFeatureFlagEnabled, useFeatureFlagPayload, useFeatureFlagVariantKey, useFlag } from '@tidemark/react';
import { createTestAnalytics, TestAnalyticsProvider } from '@tidemark/react/testing';

export function Typed() {
  const on: boolean = useFeatureFlagEnabled('checkout');
  // @ts-expect-error: no such flag
  useFeatureFlagEnabled('chekout');
  const variant: false | 'control' | 'test' | undefined = useFeatureFlagVariantKey('layout');
  // @ts-expect-error: no such variant
  if (variant === 'tset') return null;
  const columns: number | undefined = useFeatureFlagPayload('layout')?.columns;
  // @ts-expect-error: no such field
  useFeatureFlagPayload('layout')?.rows;
  const known: 'control' | 'test' | undefined = useFlag('layout').variant;
  const active: readonly FlagKey[] = useActiveFeatureFlags();
  if (active.includes('checkout')) return null;
  const client = useAnalytics();
  client?.capture('Signed Up', { plan: 'pro', source: 'menu' });
  client?.capture('Logged Out');
  client?.capture('$pageview');
  // @ts-expect-error: no such event
  client?.capture('Signd Up', { plan: 'pro' });
  // @ts-expect-error: no such plan
  client?.capture('Signed Up', { plan: 'gold' });
  // @ts-expect-error: its plan is missing
  client?.capture('Signed Up', {});
  return (
    <>
      <AnalyticsFeature flag="layout" match="test" fallback={on}>{(payload) => payload?.columns}</AnalyticsFeature>
      <AnalyticsFeature flag="checkout" match>{columns}</AnalyticsFeature>
      {/* @ts-expect-error: no such variant */}
      <AnalyticsFeature flag="layout" match="other">{known}</AnalyticsFeature>
      {/* @ts-expect-error: a flag without variants */}
      <AnalyticsFeature flag="checkout" match="test" />
      <AnalyticsFeature flag="layout" match={known} trackView={undefined} visibilityObserverOptions={undefined} />
      <TestAnalyticsProvider flags={{ layout: 'test' }} payloads={{ layout: { columns: 3 } }} />
      {/* @ts-expect-error: no such flag */}
      <TestAnalyticsProvider flags={{ chekout: true }} />
    </>
  );
}

const analytics = createTestAnalytics({ flags: { checkout: true } });
analytics.setFlags({ layout: false, checkout: true });
// @ts-expect-error: no such variant
analytics.setFlags({ layout: 'tset' });
// @ts-expect-error: no such field
analytics.setFlags({ layout: 'test' }, { layout: { rows: 3 } });
`;

test('the compiler checks keys, variants and payloads of flags, and names and properties of events, by the registries', async () => {
  expect(await asModules([DECLARED + USES], (paths) => complaintsOf(paths))).toEqual([]);
});
