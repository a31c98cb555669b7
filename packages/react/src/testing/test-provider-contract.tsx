import { describe, expect, test, vi } from 'vitest';
import { AnalyticsFeature, useAnalytics, useFlag } from '../index.js';
import { createTestAnalytics, TestAnalyticsProvider } from '../testing.js';
import { mount } from './mount.js';

function Layout() {
  const analytics = useAnalytics();
  const { variant = 'none', payload, source } = useFlag('layout');
  return (
    <button type="button" onClick={() => analytics?.capture('Chosen', { variant })}>
      {`${variant} ${JSON.stringify(payload)} ${source}`}
    </button>
  );
}

describe('TestAnalyticsProvider', () => {
  test('it takes flags as a map', () => {
    const { text } = mount(
      <TestAnalyticsProvider flags={{ layout: 'test', beta: true }} payloads={{ layout: { columns: 3 } }}>
        <Layout />
        <AnalyticsFeature flag="beta"> beta</AnalyticsFeature>
      </TestAnalyticsProvider>,
    );
    expect(text()).toBe('test {"columns":3} override beta');
  });

  test('it records events, changes flags at once, and sends no request', () => {
    const fetching = vi.spyOn(globalThis, 'fetch');
    const analytics = createTestAnalytics({ flags: { layout: 'test', beta: true } });
    const { text, container } = mount(
      <TestAnalyticsProvider analytics={analytics}>
        <Layout />
        <AnalyticsFeature flag="beta"> beta</AnalyticsFeature>
      </TestAnalyticsProvider>,
    );
    container.querySelector('button')?.click();
    analytics.setFlags({ layout: 'control' }, { layout: 7 });
    expect(text()).toBe('control 7 override');
    container.querySelector('button')?.click();
    expect(analytics.events.map(({ event, properties }) => [event, properties['variant']])).toEqual([
      ['Chosen', 'test'],
      ['Chosen', 'control'],
    ]);
    expect(fetching).not.toHaveBeenCalled();
    fetching.mockRestore();
  });
});
