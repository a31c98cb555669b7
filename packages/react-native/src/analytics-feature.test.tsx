import { createFakePlatform } from '@tidemark/client/testing';
import { type ReactNode, StrictMode } from 'react';
import { act, create, type Renderer } from 'react-test-renderer';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AnalyticsFeature, AnalyticsProvider, TouchAutocapture } from './index.js';
import { createPhone, startApp } from './testing/start-app.js';
import { tap } from './testing/tap.js';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

let open: Renderer | undefined;
afterEach(() => act(() => open?.unmount()));

const bootstrap = {
  featureFlags: { on: true, off: false, layout: 'test' },
  featureFlagPayloads: { layout: { columns: 3 } },
};
const ViewStub = 'view-host';

function setUp(content: ReactNode, taps: { captureTaps?: boolean } | 'nobody listens' = {}) {
  const platform = createFakePlatform();
  const { client, flushed } = startApp({ bootstrap, disable_flags: true }, createPhone(), platform);
  const app = (inside: ReactNode) => (
    <AnalyticsProvider client={client}>
      {taps === 'nobody listens' ? (
        inside
      ) : (
        <TouchAutocapture view={ViewStub} {...taps}>
          {inside}
        </TouchAutocapture>
      )}
    </AnalyticsProvider>
  );
  act(() => {
    open = create(app(content));
  });
  return {
    client,
    show: (inside: ReactNode) => act(() => open?.update(app(inside))),
    tap: (type: unknown) => act(() => open && tap(open, type)),
    shown: () => JSON.stringify(open?.toJSON()),
    captured: async () =>
      (await flushed()).filter(({ event }) => event.startsWith('$feature_') && event !== '$feature_flag_called'),
  };
}

describe('AnalyticsFeature', () => {
  test.each([
    ['on', undefined, 'content'],
    ['on', 'test', 'instead'],
    ['layout', true as const, 'content'],
    ['layout', 'test', 'content'],
    ['layout', 'control', 'instead'],
    ['off', undefined, 'instead'],
    ['unknown', true as const, 'instead'],
  ])('flag %s, match %s: shows %s', (flag, match, expected) => {
    const { shown } = setUp(
      <AnalyticsFeature flag={flag} {...(match === undefined ? {} : { match })} fallback={<text-host>instead</text-host>}>
        <text-host>content</text-host>
      </AnalyticsFeature>,
    );
    expect(shown()).toContain(`"children":["${expected}"]`);
  });

  test('it adds no view around its content, which may be a function of the payload', () => {
    const { shown } = setUp(
      <view-host style={{ flexDirection: 'row', gap: 8 }}>
        <AnalyticsFeature flag="layout" match="test">
          {(payload) => [<text-host key="a">{JSON.stringify(payload)}</text-host>, <text-host key="b" />]}
        </AnalyticsFeature>
      </view-host>,
    );
    const bare = setUp(
      <view-host style={{ flexDirection: 'row', gap: 8 }}>
        <text-host>{JSON.stringify({ columns: 3 })}</text-host>
        <text-host />
      </view-host>,
    );
    expect(bare.shown()).toContain('columns');
    expect(shown()).toBe(bare.shown());
  });

  test('it captures one view, also before storage has responded, in StrictMode, and after renders', async () => {
    const feature = (text: string) => (
      <StrictMode>
        <AnalyticsFeature flag="on">
          <text-host>{text}</text-host>
        </AnalyticsFeature>
      </StrictMode>
    );
    const { captured, show } = setUp(feature('content'));
    for (let i = 0; i < 20; i++) show(feature(`content ${i}`));
    const events = await captured();
    expect(events).toMatchObject([
      { event: '$feature_view', properties: { feature_flag: 'on', $set: { '$feature_view/on': true } } },
    ]);
    expect(events[0]?.properties).not.toHaveProperty('feature_flag_variant');
  });

  test('it captures the first tap on its content, with the variant', async () => {
    const { captured, tap } = setUp(
      <view-host>
        <input-host />
        <AnalyticsFeature flag="layout" match="test" trackView={false}>
          <view-host>
            <text-host>content</text-host>
          </view-host>
        </AnalyticsFeature>
      </view-host>,
    );
    tap('input-host');
    expect(await captured()).toEqual([]);
    tap('text-host');
    tap('text-host');
    expect(await captured()).toMatchObject([
      {
        event: '$feature_interaction',
        properties: { feature_flag: 'layout', feature_flag_variant: 'test', $set: { '$feature_interaction/layout': 'test' } },
      },
    ]);
  });

  test('taps count without autocapture, for each of two nested components', async () => {
    const { captured, tap } = setUp(
      <AnalyticsFeature flag="on">
        <AnalyticsFeature flag="layout">
          <text-host tm-no-capture>content</text-host>
        </AnalyticsFeature>
      </AnalyticsFeature>,
      { captureTaps: false },
    );
    tap('text-host');
    expect((await captured()).map(({ event, properties }) => [event, properties['feature_flag']])).toEqual([
      ['$feature_view', 'layout'],
      ['$feature_view', 'on'],
      ['$feature_interaction', 'layout'],
      ['$feature_interaction', 'on'],
    ]);
  });

  test('it captures nothing when disabled or for a fallback, and a view as soon as it is enabled', async () => {
    const feature = (trackView: boolean) => (
      <>
        <AnalyticsFeature flag="on" trackView={trackView} trackInteraction={false}>
          <text-host>content</text-host>
        </AnalyticsFeature>
        <AnalyticsFeature flag="off" fallback={<input-host />}>
          content
        </AnalyticsFeature>
      </>
    );
    const { captured, tap, show } = setUp(feature(false));
    tap('text-host');
    tap('input-host');
    expect(await captured()).toEqual([]);
    show(feature(true));
    show(feature(false));
    show(feature(true));
    expect((await captured()).map(({ event }) => event)).toEqual(['$feature_view']);
  });

  test('without a TouchAutocapture it warns once that taps are not seen, unless taps are switched off', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    setUp(<AnalyticsFeature flag="on" trackInteraction={false} />, 'nobody listens');
    setUp(<AnalyticsFeature flag="on" />);
    expect(warn).not.toHaveBeenCalled();
    setUp(<AnalyticsFeature flag="on" />, 'nobody listens');
    setUp(<AnalyticsFeature flag="on" />, 'nobody listens');
    expect(warn).toHaveBeenCalledOnce();
    expect(warn.mock.calls[0]?.[0]).toContain('TouchAutocapture');
    warn.mockRestore();
  });
});
