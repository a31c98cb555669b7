// @vitest-environment happy-dom
import { createClient, flags } from '@tidemark/client';
import { act } from 'react';
import { expect, test } from 'vitest';
import { memoryPlatform } from './memory-platform.js';
import { AnalyticsFeature, AnalyticsProvider, useFlag } from './slim.js';
import { mount } from './testing/mount.js';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

function Status() {
  return useFlag('beta').status;
}

test('a loading state ends for opted-out persons and for automated browsers', async () => {
  const refused = memoryPlatform(() => ({}));
  refused.refusal = () => 'automated browser';
  const options = { disable_remote_config: true };
  for (const [more, platform] of [[{ opt_out_by_default: true }, memoryPlatform(() => ({}))] as const, [{}, refused] as const]) {
    const client = createClient('tmk_1', { ...options, ...more }, platform, [flags()]);
    const { container } = mount(
      <AnalyticsProvider client={client}>
        <Status />
        <AnalyticsFeature flag="beta" fallback=" without">
          with
        </AnalyticsFeature>
      </AnalyticsProvider>,
    );
    expect(container.textContent).toBe('loading without');
    await act(() => client.whenFlagsReady());
    expect(container.textContent).toBe('ready without');
  }
});
