import { useActiveFeatureFlags, useAnalytics, useFeatureFlagEnabled, useFeatureFlagPayload, useFlag } from '@tidemark/react';

export function Products() {
  const analytics = useAnalytics();
  const stars = useFeatureFlagEnabled('stars');
  const layout = useFlag('layout');
  const columns = useFeatureFlagPayload('layout')?.columns ?? 1;
  const active = useActiveFeatureFlags();

  if (layout.status === 'loading') return <p>Loading</p>;
  return (
    <ul data-layout={layout.variant} data-columns={columns} data-source={layout.source} data-active={active.join()}>
      {['Anchor', 'Buoy', 'Compass'].map((name) => (
        <li key={name}>
          <button type="button" onClick={() => analytics?.capture('Product Chosen', { name })}>
            {name} {stars && '★★★'}
          </button>
        </li>
      ))}
    </ul>
  );
}
