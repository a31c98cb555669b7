'use client';
import { AnalyticsFeature, useAnalytics, useFeatureFlagVariantKey } from '@tidemark/react';

export function Products({ names }: { names: string[] }) {
  const analytics = useAnalytics();
  const layout = useFeatureFlagVariantKey('layout');
  return (
    <>
      <ul data-layout={layout || 'list'}>
        {names.map((name) => (
          <li key={name}>
            <button type="button" onClick={() => analytics?.capture('Product Chosen', { name })}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      <AnalyticsFeature flag="new-checkout" fallback={<a href="/checkout">Check out</a>}>
        <a href="/checkout/new">Check out in one step</a>
      </AnalyticsFeature>
    </>
  );
}
