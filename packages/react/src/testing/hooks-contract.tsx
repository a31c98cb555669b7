import type { Client } from '@tidemark/client';
import { act, memo, type ReactNode, StrictMode, useState } from 'react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  AnalyticsProvider,
  useActiveFeatureFlags,
  useAnalytics,
  useFeatureFlagEnabled,
  useFeatureFlagPayload,
  useFeatureFlagVariantKey,
  useFlag,
} from '../slim.js';
import { flaggedClient } from './flagged-client.js';
import { mount } from './mount.js';

const seen = vi.fn();

function Values({ flag }: { flag: string }) {
  seen(useFeatureFlagEnabled(flag), useFeatureFlagVariantKey(flag), useFeatureFlagPayload(flag));
  return null;
}

function Text({ flag }: { flag: string }) {
  return `${useFeatureFlagEnabled(flag)} ${useFeatureFlagVariantKey(flag)} ${useActiveFeatureFlags().join()}`;
}

function Flag({ flag }: { flag: string }) {
  const { status, source, value } = useFlag(flag);
  seen(status, source, value);
  return null;
}

function Uses() {
  useFeatureFlagEnabled('a');
  useFeatureFlagVariantKey('a');
  useFeatureFlagPayload('b');
  useActiveFeatureFlags();
  useFeatureFlagEnabled('unknown');
  return null;
}

const Reader = memo(function Reader({ flag }: { flag: string }) {
  seen(flag, useFeatureFlagEnabled(flag));
  return null;
});

function Nowhere() {
  return `${useFeatureFlagEnabled('a')} ${useAnalytics()} ${useActiveFeatureFlags().length}`;
}

let renderParent = () => {};

function Parent({ client, children }: { client: Client; children: ReactNode }) {
  const [count, set] = useState(0);
  renderParent = () => set(count + 1);
  return (
    <AnalyticsProvider client={client}>
      {count}
      {children}
    </AnalyticsProvider>
  );
}

describe('hooks', () => {
  beforeEach(() => {
    seen.mockClear();
  });

  test('FLG-2: they return value, variant and payload of a flag, and an unknown flag is off', () => {
    const { client } = flaggedClient({ on: true, off: false, layout: 'test' }, { layout: { columns: 3 } });
    mount(
      <AnalyticsProvider client={client}>
        {['on', 'off', 'layout', 'unknown'].map((flag) => (
          <Values key={flag} flag={flag} />
        ))}
      </AnalyticsProvider>,
    );
    expect(seen.mock.calls).toEqual([
      [true, true, null],
      [false, false, null],
      [true, 'test', { columns: 3 }],
      [false, undefined, undefined],
    ]);
  });

  test('they follow the flags, and a changed key', async () => {
    const { client, load } = flaggedClient({ a: true, b: 'test' });
    const page = (flag: string) => (
      <AnalyticsProvider client={client}>
        <Text flag={flag} />
      </AnalyticsProvider>
    );
    const { text, render } = mount(page('a'));
    expect(text()).toBe('true true a,b');
    await act(() => load({ a: false, b: 'control' }));
    expect(text()).toBe('false false b');
    render(page('b'));
    expect(text()).toBe('true control b');
  });

  test('useFlag returns the source and the status of a value', async () => {
    const { client, load } = flaggedClient({ layout: 'test' });
    mount(
      <AnalyticsProvider client={client}>
        <Flag flag="layout" />
      </AnalyticsProvider>,
    );
    await act(() => load({ layout: 'control' }));
    await act(() => load('failure'));
    expect(seen.mock.calls).toEqual([
      ['ready', 'bootstrap', 'test'],
      ['ready', 'server', 'control'],
      ['stale', 'server', 'control'],
    ]);
  });

  test('a read is reported once for each value, and a payload or a list is not', async () => {
    const { client, load, called } = flaggedClient({ a: true, b: true, c: true });
    const { render, unmount } = mount(
      <StrictMode>
        <AnalyticsProvider client={client}>
          <Uses />
        </AnalyticsProvider>
      </StrictMode>,
    );
    expect(called()).toEqual([['a', true]]);
    render(null);
    await act(() => load({ a: false, b: false, c: false }));
    expect(called()).toEqual([['a', true]]);
    unmount();
  });

  test('a flag on the page is reported for the next person too', async () => {
    const { client, load, called } = flaggedClient({ a: true });
    mount(
      <AnalyticsProvider client={client}>
        <Reader flag="a" />
      </AnalyticsProvider>,
    );
    await act(() => load({ a: true }));
    seen.mockClear();
    await act(async () => {
      client.identify('someone');
      await load({ a: true });
    });
    expect(seen).not.toHaveBeenCalled();
    await act(async () => {
      client.reset();
      await load({ a: true });
    });
    expect(called()).toEqual([
      ['a', true],
      ['a', true],
      ['a', true],
    ]);
  });

  test('a flag that is read again is reported once for a person, and at once for the next', async () => {
    const { client, load, called } = flaggedClient({ a: true });
    const page = (time: number) => (
      <AnalyticsProvider client={client}>
        <Reader key={time} flag="a" />
      </AnalyticsProvider>
    );
    const { render } = mount(page(1));
    await act(() => load({ a: true }));
    const before = called().length;
    render(page(2));
    expect(called()).toHaveLength(before);
    act(() => client.identify('someone'));
    render(page(3));
    expect(called()).toHaveLength(before + 1);
  });

  describe('1,000 readers', () => {
    const all = (value: boolean) => Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`flag-${i}`, value]));
    const readers = Object.keys(all(true)).map((flag) => <Reader key={flag} flag={flag} />);

    test('they render only when the flag they read changes', async () => {
      const { client, load } = flaggedClient(all(true));
      mount(<AnalyticsProvider client={client}>{readers}</AnalyticsProvider>);
      expect(seen).toHaveBeenCalledTimes(1_000);
      await act(() => load(all(true)));
      seen.mockClear();
      await act(() => load(all(true)));
      expect(seen).toHaveBeenCalledTimes(0);
      const changed = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`flag-${i * 7}`, false]));
      await act(() => load({ ...all(true), ...changed }));
      expect(seen.mock.calls).toEqual(Object.keys(changed).map((flag) => [flag, false]));
    });

    test('they do not render with the parent of the provider', async () => {
      const { client } = flaggedClient(all(true));
      const { text } = mount(<Parent client={client}>{readers}</Parent>);
      seen.mockClear();
      act(renderParent);
      expect(text()).toBe('1');
      expect(seen).toHaveBeenCalledTimes(0);
    });
  });

  test('without a provider every flag is off, and one warning names the provider', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { text, render } = mount(<Nowhere />);
    render(<Nowhere />);
    expect(text()).toBe('false undefined 0');
    expect(warn.mock.calls).toEqual([[expect.stringContaining('There is no AnalyticsProvider above')]]);
    warn.mockRestore();
  });
});
