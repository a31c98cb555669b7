import { init } from '@tidemark/browser';
import { act, StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  AnalyticsFeature,
  AnalyticsProvider,
  type AnalyticsProviderProps,
  useActiveFeatureFlags,
  useAnalytics,
  useFeatureFlagEnabled,
  useFeatureFlagPayload,
  useFeatureFlagVariantKey,
  useFlag,
} from '../index.js';
import { flaggedClient } from './flagged-client.js';
import { initMakes } from './made-clients.js';
import { hydrate } from './mount.js';

const flags = { on: true, off: false, layout: 'test' };
const payloads = { layout: { columns: 3 } };
const bootstrap = { featureFlags: flags, featureFlagPayloads: payloads };
const seen = vi.fn();

function Page() {
  const read = [
    useFeatureFlagEnabled('on'),
    useFeatureFlagVariantKey('layout'),
    useFeatureFlagPayload('layout'),
    useActiveFeatureFlags(),
    useFlag('layout').source,
    useFlag('new').status,
  ];
  return (
    <main>
      <p>{JSON.stringify(read)}</p>
      <ul>
        <AnalyticsFeature flag="layout" match="test" fallback={<li>instead</li>}>
          {(payload) => <li>{JSON.stringify(payload)}</li>}
        </AnalyticsFeature>
        <AnalyticsFeature flag="off" fallback={<li>old</li>}>
          <li>new</li>
        </AnalyticsFeature>
      </ul>
    </main>
  );
}

function Reader() {
  seen(useAnalytics());
  return null;
}

describe('server render', () => {
  const app = (props: AnalyticsProviderProps) => (
    <StrictMode>
      <AnalyticsProvider {...props}>
        <Page />
      </AnalyticsProvider>
    </StrictMode>
  );

  beforeEach(() => {
    initMakes(() => flaggedClient({}).client);
  });

  const checkHydration = async (props: AnalyticsProviderProps, load: ReturnType<typeof flaggedClient>['load']) => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const html = renderToString(app(props));
    expect(init).not.toHaveBeenCalled();
    expect(html).toContain(
      '[true,&quot;test&quot;,{&quot;columns&quot;:3},[&quot;layout&quot;,&quot;on&quot;],&quot;bootstrap&quot;,&quot;loading&quot;]',
    );
    expect(html.replaceAll(/<template><\/template>/g, '')).toContain('<ul><li>{&quot;columns&quot;:3}</li><li>old</li></ul>');
    const problems: unknown[] = [];
    const { container, text, unmount } = hydrate(html, app(props), problems);
    expect(container.innerHTML).toBe(html.replaceAll('&quot;', '"'));
    await act(() => load({ on: false, layout: 'control' }));
    expect(text()).toContain('[false,"control"');
    expect(text()).toContain('instead');
    expect([problems, error.mock.calls]).toEqual([[], []]);
    error.mockRestore();
    unmount();
  };

  test('with an apiKey server and browser render the bootstrap, and the client takes over', async () => {
    const { client, load } = flaggedClient(flags, payloads);
    initMakes(() => client);
    await checkHydration({ apiKey: 'tmk_1', options: { bootstrap } }, load);
    expect(init).toHaveBeenCalledTimes(1);
  });

  test('with a client server and browser render its bootstrap', async () => {
    const { client, load } = flaggedClient(flags, payloads);
    await checkHydration({ client }, load);
  });

  test('flags that only the browser knows are rendered after hydration, without a mismatch', () => {
    const { client } = flaggedClient({ on: true, layout: 'control' });
    initMakes(() => client);
    const props = { apiKey: 'tmk_1' };
    const problems: unknown[] = [];
    const { text } = hydrate(renderToString(app(props)), app(props), problems);
    expect(text()).toContain('[true,"control",null,["layout","on"]');
    expect(problems).toEqual([]);
  });

  test('useAnalytics is undefined on the server', () => {
    renderToString(
      <AnalyticsProvider apiKey="tmk_1">
        <Reader />
      </AnalyticsProvider>,
    );
    expect(seen.mock.calls).toEqual([[undefined]]);
  });
});
