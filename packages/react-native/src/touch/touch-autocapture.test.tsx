import type { CapturedEvent } from '@tidemark/client';
import type { ReactNode } from 'react';
import { act, create, type Renderer } from 'react-test-renderer';
import { afterEach, expect, test } from 'vitest';
import { AnalyticsProvider, type NativeClient } from '../index.js';
import { type StartedApp, startApp } from '../testing/start-app.js';
import { tap } from '../testing/tap.js';
import { TouchAutocapture } from './touch-autocapture.js';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

// components as React Native has them: a name, and a host element below
const View = ({ children, ...props }: { children?: ReactNode; [prop: string]: unknown }) => (
  <view-host {...props}>{children}</view-host>
);
const Text = ({ children, ...props }: { children?: ReactNode; [prop: string]: unknown }) => (
  <text-host {...props}>{children}</text-host>
);
const TextInput = (props: Record<string, unknown>) => <input-host {...props} />;
function BuyButton({ label }: { label: string }) {
  return (
    <View accessibilityRole="button" testID="buy">
      <Text>{label}</Text>
    </View>
  );
}
BuyButton.displayName = 'Buy';

let open: Renderer | undefined;
afterEach(() => act(() => open?.unmount()));

async function show(
  content: ReactNode,
  options: Parameters<typeof startApp>[0] = {},
  known?: NativeClient,
): Promise<StartedApp & { tap(type: unknown, from?: [number, number]): void }> {
  const app = startApp(options);
  await app.client.ready();
  act(() => {
    open = create(
      <AnalyticsProvider client={known ?? app.client}>
        <TouchAutocapture view={View}>{content}</TouchAutocapture>
      </AnalyticsProvider>,
    );
  });
  return {
    ...app,
    tap: (type, from) => {
      if (open) tap(open, type, from);
    },
  };
}

const chain = (event: CapturedEvent | undefined) => event?.properties['$elements'] as Record<string, string>[];

test('ACP-1 a tap is captured with the screen and the chain of elements', async () => {
  const { client, tap, flushed } = await show(<BuyButton label="Buy now" />);
  client.screen('Cart');
  tap('text-host');
  const [, event] = await flushed();
  expect(event).toMatchObject({
    event: '$autocapture',
    properties: { $event_type: 'click', $screen_name: 'Cart', $touch_x: 10, $touch_y: 20 },
  });
  expect(chain(event).slice(0, 5)).toEqual([
    { tag_name: 'text-host', $el_text: 'Buy now' },
    { tag_name: 'Text', $el_text: 'Buy now' },
    { tag_name: 'view-host', attr__testID: 'buy', attr__accessibilityRole: 'button' },
    { tag_name: 'View', attr__testID: 'buy', attr__accessibilityRole: 'button' },
    { tag_name: 'Buy' },
  ]);
});

test.each([{ 'tm-no-capture': true }, { 'tm-no-capture': '' }])(
  'ACP-2 elements marked %j, and their descendants, are not captured',
  async (mark) => {
    const { tap, flushed } = await show(
      <View {...mark}>
        <View>
          <Text>private</Text>
        </View>
      </View>,
    );
    tap('text-host');
    expect(await flushed()).toEqual([]);
  },
);

test('ACP-3 typed text and card numbers are not in the event', async () => {
  const { tap, flushed } = await show(
    <View accessibilityLabel="4111 1111 1111 1111">
      <TextInput secureTextEntry value="hunter2" defaultValue="hunter2" placeholder="hunter2" testID="password" />
      <Text>Card 4111-1111-1111-1111</Text>
    </View>,
  );
  tap('input-host');
  tap('text-host');
  const text = JSON.stringify(await flushed());
  expect(text).toContain('password');
  expect(text).not.toContain('hunter2');
  expect(text).not.toMatch(/1111.1111/);
});

test('ACP-4 one tap is one event, also with two listeners, and after the app was set up again', async () => {
  const twice = (
    <TouchAutocapture view={View}>
      <BuyButton label="Buy now" />
    </TouchAutocapture>
  );
  const { client, tap, flushed } = await show(twice);
  tap('text-host');
  expect(await flushed()).toHaveLength(1);
  act(() => open?.unmount());
  const again = await show(twice, {}, client);
  again.tap('text-host');
  again.tap('text-host');
  expect(await flushed()).toHaveLength(3);
});

test('two clients each capture a tap', async () => {
  const other = startApp();
  const { tap, flushed } = await show(
    <AnalyticsProvider client={other.client}>
      <TouchAutocapture view={View}>
        <BuyButton label="Buy now" />
      </TouchAutocapture>
    </AnalyticsProvider>,
  );
  tap('text-host');
  expect([await flushed(), await other.flushed()]).toMatchObject([[{ event: '$autocapture' }], [{ event: '$autocapture' }]]);
});

test('taps are not captured when disabled', async () => {
  const { client, flushed } = startApp();
  act(() => {
    open = create(
      <AnalyticsProvider client={client}>
        <TouchAutocapture view={View} captureTaps={false}>
          <BuyButton label="Buy now" />
        </TouchAutocapture>
      </AnalyticsProvider>,
    );
  });
  if (open) tap(open, 'text-host');
  expect(await flushed()).toEqual([]);
});

test('ACP-5 taps respect consent and before_send', async () => {
  const out = await show(<BuyButton label="Buy now" />, { opt_out_by_default: true });
  out.tap('text-host');
  expect(await out.flushed()).toEqual([]);
  act(() => open?.unmount());
  const dropped = await show(<BuyButton label="Buy now" />, { before_send: () => null });
  dropped.tap('text-host');
  expect(await dropped.flushed()).toEqual([]);
});

test('a swipe is not a tap', async () => {
  const { tap, flushed } = await show(<Text>far</Text>);
  tap('text-host', [10, 200]);
  expect(await flushed()).toEqual([]);
});

test('events without an element, and malformed components, cause no error', async () => {
  const { tap, flushed } = await show(<Text testID={5}>{['a', 1]}</Text>);
  const handlers = open?.root.find((node) => node.type === View && 'onTouchEnd' in node.props).props ?? {};
  for (const event of [
    undefined,
    {},
    { nativeEvent: 5 },
    { _targetInst: 'x' },
    { _targetInst: { memoizedProps: 5, return: null } },
  ]) {
    for (const name of ['onTouchStart', 'onTouchEnd']) {
      const handler = handlers[name];
      if (typeof handler === 'function') handler(event);
    }
  }
  tap('text-host');
  expect((await flushed()).map(({ event }) => event)).toEqual(['$autocapture']);
});
