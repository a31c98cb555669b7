import { createFakePlatform } from '@tidemark/client/testing';
import { act, create, type Renderer } from 'react-test-renderer';
import { expect, test } from 'vitest';
import {
  AnalyticsProvider,
  useActiveFeatureFlags,
  useAnalytics,
  useFeatureFlagEnabled,
  useFeatureFlagPayload,
  useFeatureFlagVariantKey,
} from './index.js';
import { createPhone, startApp } from './testing/start-app.js';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const shown: unknown[] = [];

function Reader() {
  shown.push([
    useFeatureFlagEnabled('layout'),
    useFeatureFlagVariantKey('layout'),
    useFeatureFlagPayload('layout'),
    useActiveFeatureFlags(),
    useAnalytics(),
  ]);
  return null;
}

test('hooks have bootstrapped flags before storage has responded, and then the flags of the service', async () => {
  const platform = createFakePlatform();
  platform.answer('/flags/', {
    body: {
      flags: { layout: { key: 'layout', enabled: true, variant: 'grid', metadata: { id: 1, payload: '{"columns":2}' } } },
      errorsWhileComputingFlags: false,
    },
  });
  const bootstrap = { featureFlags: { layout: 'list' }, featureFlagPayloads: { layout: null } };
  const { client, flushed } = startApp({ bootstrap }, createPhone(), platform);
  let renderer: Renderer | undefined;
  act(() => {
    renderer = create(
      <AnalyticsProvider client={client}>
        <Reader />
      </AnalyticsProvider>,
    );
  });
  expect(shown).toEqual([[true, 'list', null, ['layout'], client]]);
  await act(() => platform.advance(10));
  expect(shown.at(-1)).toEqual([true, 'grid', { columns: 2 }, ['layout'], client]);
  expect(shown.length).toBeLessThanOrEqual(3);
  const calls = (await flushed()).filter(({ event }) => event === '$feature_flag_called');
  expect(calls.at(-1)?.properties).toMatchObject({ $feature_flag: 'layout', $feature_flag_response: 'grid' });
  act(() => renderer?.unmount());
});
