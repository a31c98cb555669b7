import { type BrowserOptions, getClient } from '@tidemark/browser';
import type { Client } from '@tidemark/client';
import { act, StrictMode } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AnalyticsProvider, useAnalytics, useFeatureFlagEnabled } from '../index.js';
import { flaggedClient } from './flagged-client.js';
import { initMakes } from './made-clients.js';
import { mount } from './mount.js';

const seen = vi.fn();

function Reader() {
  const client = useAnalytics();
  seen(client, useFeatureFlagEnabled('a'));
  return client ? 'client' : 'none';
}

function Flag({ flag }: { flag: string }) {
  seen(flag, useFeatureFlagEnabled(flag));
  return null;
}

function Caller() {
  const analytics = useAnalytics();
  try {
    // @ts-expect-error: the compiler asks for the guard
    analytics.capture('x');
  } catch (error) {
    seen(String(error));
  }
  analytics?.capture('x');
  return null;
}

describe('AnalyticsProvider', () => {
  let initialize: ReturnType<typeof initMakes>;
  const warn = vi.fn();
  beforeEach(() => {
    seen.mockClear();
    warn.mockClear();
    initialize = initMakes(() => flaggedClient({ a: true }).client);
    vi.spyOn(console, 'warn').mockImplementation(warn);
  });
  afterEach(() => vi.restoreAllMocks());

  test('it renders children at once, initializes after that, and then provides the client', () => {
    initialize = initMakes(() => {
      expect(seen).toHaveBeenCalledTimes(1);
      return flaggedClient({ a: true }).client;
    });
    const options = { api_host: 'https://t.example' };
    const { text } = mount(
      <AnalyticsProvider apiKey="tmk_1" options={options}>
        <Reader />
      </AnalyticsProvider>,
    );
    expect(initialize.mock.calls).toEqual([['tmk_1', options, undefined]]);
    expect(seen.mock.calls[0]).toEqual([undefined, false]);
    expect(seen.mock.lastCall).toEqual([initialize.mock.results[0]?.value, true]);
    expect(text()).toBe('client');
  });

  test('SET-6: before initialization an unguarded call is a TypeError, and a guarded one is not', () => {
    mount(
      <AnalyticsProvider apiKey="tmk_1">
        <Caller />
      </AnalyticsProvider>,
    );
    expect(seen.mock.calls[0]).toEqual(["TypeError: Cannot read properties of undefined (reading 'capture')"]);
  });

  test('it provides bootstrapped flags until there is a client, and renders the readers of a changed flag', () => {
    mount(
      <AnalyticsProvider apiKey="tmk_1" options={{ bootstrap: { featureFlags: { a: true, b: true } } }}>
        <Flag flag="a" />
        <Flag flag="b" />
      </AnalyticsProvider>,
    );
    expect(seen.mock.calls).toEqual([
      ['a', true],
      ['b', true],
      ['b', false],
    ]);
  });

  test('it initializes once in StrictMode', () => {
    const { render, text } = mount(null);
    const page = (
      <StrictMode>
        <AnalyticsProvider apiKey="tmk_1">
          <Reader />
        </AnalyticsProvider>
      </StrictMode>
    );
    render(page);
    render(page);
    expect([initialize.mock.calls.length, text(), warn.mock.calls]).toEqual([1, 'client', []]);
  });

  test('it releases the client when it unmounts', () => {
    const flagged = flaggedClient({ a: true });
    const { unmount } = mount(
      <StrictMode>
        <AnalyticsProvider client={flagged.client}>
          <Reader />
        </AnalyticsProvider>
      </StrictMode>,
    );
    unmount();
    expect(flagged.listening()).toBe(0);
  });

  test('it applies changed options, compared by content', () => {
    const flagged = flaggedClient({});
    initialize = initMakes(() => flagged.client);
    const before_send = () => null;
    const page = (host: string, debug = false) => (
      <AnalyticsProvider apiKey="tmk_1" options={{ api_host: host, debug, before_send: [before_send] }}>
        <Reader />
      </AnalyticsProvider>
    );
    const { render } = mount(page('https://a.example'));
    render(page('https://a.example'));
    expect(flagged.configs).toEqual([]);
    render(page('https://b.example', true));
    render(page('https://b.example', true));
    expect(flagged.configs).toEqual([{ api_host: 'https://b.example', debug: true, before_send: [before_send] }]);
    expect(initialize).toHaveBeenCalledTimes(1);
  });

  test('a removed option has its default again', () => {
    const flagged = flaggedClient({});
    initialize = initMakes(() => flagged.client);
    const page = (options: BrowserOptions) => (
      <AnalyticsProvider apiKey="tmk_1" options={options}>
        <Reader />
      </AnalyticsProvider>
    );
    const { render } = mount(page({ api_host: 'https://a.example', before_send: () => null }));
    flagged.client.setConfig({ before_send: () => null });
    expect(flagged.client.capture('a')).toBeUndefined();
    render(page({ api_host: 'https://a.example' }));
    expect(flagged.client.capture('a')).toMatchObject({ event: 'a' });
  });

  test('a new name switches to the client of that name, which is new if the last one was shut down', async () => {
    const clients: Client[] = [];
    initialize = initMakes(() => flaggedClient({}).client);
    initialize.mockImplementation(() => {
      const { client } = flaggedClient({ a: clients.length === 1 });
      clients.push(client);
      vi.mocked(getClient).mockImplementation(() => client);
      return client;
    });
    const page = (name: string) => (
      <AnalyticsProvider apiKey="tmk_1" options={{ name }}>
        <Reader />
      </AnalyticsProvider>
    );
    const { render } = mount(page('one'));
    vi.mocked(getClient).mockReturnValueOnce(undefined);
    render(page('two'));
    expect(initialize.mock.calls.map(([, , name]) => name)).toEqual(['one', 'two']);
    expect(seen.mock.lastCall).toEqual([clients[1], true]);
    await clients[1]?.shutdown();
    mount(page('two'));
    expect(seen.mock.lastCall).toEqual([clients[2], false]);
  });

  test('the first client stays when the apiKey changes, and when the provider mounts again', () => {
    const page = (key: string, apiKey: string) => (
      <AnalyticsProvider key={key} apiKey={apiKey}>
        <Reader />
      </AnalyticsProvider>
    );
    const { render } = mount(page('one', 'tmk_1'));
    const first = seen.mock.lastCall;
    render(page('two', 'tmk_1'));
    expect(initialize).toHaveBeenCalledTimes(1);
    // init is who says that it changes nothing
    render(page('two', 'tmk_2'));
    expect(initialize.mock.calls).toEqual([
      ['tmk_1', undefined, undefined],
      ['tmk_2', undefined, undefined],
    ]);
    expect(seen.mock.lastCall).toEqual(first);
  });

  test('it switches to another client prop', async () => {
    const first = flaggedClient({ a: true });
    const second = flaggedClient({ a: false });
    const page = (client: typeof first.client) => (
      <AnalyticsProvider client={client}>
        <Reader />
      </AnalyticsProvider>
    );
    const { render } = mount(page(first.client));
    render(page(second.client));
    expect(seen.mock.lastCall).toEqual([second.client, false]);
    expect(first.listening()).toBe(0);
    await act(() => second.load({ a: true }));
    expect(seen.mock.lastCall).toEqual([second.client, true]);
  });

  test('with client and apiKey it uses the client, and warns once', () => {
    const { client } = flaggedClient({ a: true });
    const both = { client, apiKey: 'tmk_1', options: {} };
    // @ts-expect-error: the compiler wants one of them
    const page = () => <AnalyticsProvider {...both}>{<Reader />}</AnalyticsProvider>;
    const { render } = mount(<StrictMode>{page()}</StrictMode>);
    render(<StrictMode>{page()}</StrictMode>);
    expect(seen.mock.calls[0]).toEqual([client, true]);
    expect(initialize).not.toHaveBeenCalled();
    expect(warn.mock.calls).toEqual([[expect.stringContaining('uses its client')]]);
  });

  test.each([{}, { apiKey: '' }, { client: undefined }])('with neither (%o) it renders children, and warns once', (neither) => {
    // @ts-expect-error: the compiler wants one of them
    const page = () => <AnalyticsProvider {...neither}>{<Reader />}</AnalyticsProvider>;
    const { render, text } = mount(<StrictMode>{page()}</StrictMode>);
    render(<StrictMode>{page()}</StrictMode>);
    expect(text()).toBe('none');
    expect(warn.mock.calls).toEqual([[expect.stringContaining('needs a client or an apiKey')]]);
  });
});
