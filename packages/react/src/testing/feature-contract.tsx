import { act, type ReactNode, StrictMode, useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AnalyticsFeature, AnalyticsProvider } from '../slim.js';
import { flaggedClient } from './flagged-client.js';
import { mount } from './mount.js';
import { observers, seen, startObserving } from './observers.js';

function OnlyText() {
  return 'text';
}

let arrive = () => {};

/** Shows something else later, without its parent. */
function Arriving({ first }: { first: ReactNode }) {
  const [arrived, setArrived] = useState(false);
  arrive = () => act(() => setArrived(true));
  return arrived ? <article>content</article> : first;
}

describe('AnalyticsFeature', () => {
  beforeEach(startObserving);
  afterEach(() => vi.unstubAllGlobals());

  const flags = { on: true, off: false, layout: 'test' };
  const setUp = (element: ReactNode) => {
    const flagged = flaggedClient(flags, { layout: { columns: 3 } });
    const page = (inside: ReactNode) => <AnalyticsProvider client={flagged.client}>{inside}</AnalyticsProvider>;
    const mounted = mount(page(element));
    const captured = () =>
      flagged.events.filter(({ event }) => event.startsWith('$feature_') && event !== '$feature_flag_called');
    return { ...flagged, ...mounted, captured, show: (inside: ReactNode) => mounted.render(page(inside)) };
  };

  test.each([
    ['a flag that is on', 'on', undefined, 'content'],
    ['a flag that is on', 'on', true as const, 'content'],
    ['a flag with a variant', 'layout', true as const, 'content'],
    ['the variant', 'layout', 'test', 'content'],
    ['another variant', 'layout', 'control', 'instead'],
    ['a flag that is on where a variant is asked for', 'on', 'test', 'instead'],
    ['a flag that is off', 'off', undefined, 'instead'],
    ['a flag that does not exist', 'unknown', true as const, 'instead'],
  ])('with %s (%s, match %s) shows %s', (_, flag, match, shown) => {
    const { text } = setUp(
      <AnalyticsFeature flag={flag} {...(match === undefined ? {} : { match })} fallback="instead">
        content
      </AnalyticsFeature>,
    );
    expect(text()).toBe(shown);
  });

  test('it shows nothing without a fallback, and calls a function with the payload', async () => {
    const { text, load } = setUp(
      <AnalyticsFeature flag="layout" match="test">
        {(payload) => `columns: ${JSON.stringify(payload)}`}
      </AnalyticsFeature>,
    );
    expect(text()).toBe('columns: {"columns":3}');
    await act(() => load({ ...flags, layout: 'control' }));
    expect(text()).toBe('');
  });

  test('it adds no element around its content, so that lists and tables stay valid', () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { container } = setUp(
      <table>
        <tbody>
          <AnalyticsFeature flag="on">
            <tr>
              <td>content</td>
            </tr>
          </AnalyticsFeature>
        </tbody>
      </table>,
    );
    expect(container.querySelector('td')?.closest('tbody')?.parentElement?.tagName).toBe('TABLE');
    expect(container.querySelector('tr')?.parentElement?.tagName).toBe('TBODY');
    expect(error).not.toHaveBeenCalled();
    error.mockRestore();
  });

  test('it captures one view, when a tenth of it is visible by default', () => {
    const { container, captured, show } = setUp(<AnalyticsFeature flag="on">{<p>content</p>}</AnalyticsFeature>);
    expect(observers()).toMatchObject([{ options: { threshold: [0.1], root: null } }]);
    const paragraph = container.querySelector('p');
    seen(paragraph, 0.05);
    expect(captured()).toEqual([]);
    seen(paragraph, 0.1);
    seen(paragraph, 1);
    show(<AnalyticsFeature flag="on">{<p>other content</p>}</AnalyticsFeature>);
    seen(paragraph, 1);
    expect(captured()).toMatchObject([
      { event: '$feature_view', properties: { feature_flag: 'on', $set: { '$feature_view/on': true } } },
    ]);
    expect(captured()[0]?.properties).not.toHaveProperty('feature_flag_variant');
  });

  test('it captures the first click on its content, with the variant', () => {
    const { container, captured } = setUp(
      <div>
        <button type="button" id="outside" />
        <AnalyticsFeature flag="layout" match="test" trackView={false}>
          <section>
            <button type="button" id="inside" onClick={(event) => event.stopPropagation()} />
          </section>
        </AnalyticsFeature>
      </div>,
    );
    const click = (id: string) => act(() => container.querySelector<HTMLElement>(`#${id}`)?.click());
    click('outside');
    expect(captured()).toEqual([]);
    click('inside');
    click('inside');
    expect(observers()).toEqual([]);
    expect(captured()).toMatchObject([
      {
        event: '$feature_interaction',
        properties: { feature_flag: 'layout', feature_flag_variant: 'test', $set: { '$feature_interaction/layout': 'test' } },
      },
    ]);
  });

  test('it captures nothing when disabled or for a fallback', () => {
    const { container, captured } = setUp(
      <>
        <AnalyticsFeature flag="on" trackView={false} trackInteraction={false}>
          <p>content</p>
        </AnalyticsFeature>
        <AnalyticsFeature flag="off" fallback={<p>instead</p>}>
          content
        </AnalyticsFeature>
      </>,
    );
    for (const paragraph of container.querySelectorAll('p')) paragraph.click();
    expect([observers(), captured()]).toEqual([[], []]);
  });

  test('a render does not replace its observer, and new content is observed', async () => {
    const feature = (content: ReactNode) => (
      <AnalyticsFeature flag="on" visibilityObserverOptions={{ threshold: [0.2, 0.5], rootMargin: '10px' }}>
        {content}
      </AnalyticsFeature>
    );
    const { container, captured, show } = setUp(feature(<p>content</p>));
    for (let i = 0; i < 20; i++) show(feature(<p>content {i}</p>));
    expect(observers()).toMatchObject([{ options: { threshold: [0.2, 0.5], rootMargin: '10px' } }]);
    show(feature(<section>other content</section>));
    expect(observers()).toHaveLength(1);
    await vi.waitFor(() => {
      seen(container.querySelector('section'), 0.2);
      expect(captured()).toMatchObject([{ event: '$feature_view' }]);
    });
  });

  test.each([
    ['something else', <p key="first">loading</p>, 1],
    ['nothing', null, 0],
  ])('it observes content that replaces %s later', async (_, first, observed) => {
    const { container, captured } = setUp(
      <AnalyticsFeature flag="on">
        <Arriving first={first} />
      </AnalyticsFeature>,
    );
    expect(observers().map(({ targets }) => targets.size)).toEqual([observed]);
    arrive();
    await vi.waitFor(() => {
      seen(container.querySelector('article'), 1);
      expect(captured()).toMatchObject([{ event: '$feature_view' }]);
    });
    expect(observers()).toHaveLength(1);
  });

  test('text is wrapped in a span for its views and clicks', () => {
    const { container, captured } = setUp(
      <p>
        <AnalyticsFeature flag="on">
          only {1} text{false} {null}
        </AnalyticsFeature>
      </p>,
    );
    act(() => container.querySelector('p')?.click());
    expect(captured()).toEqual([]);
    seen(container.querySelector('span'), 1);
    act(() => container.querySelector('span')?.click());
    expect(captured().map(({ event }) => event)).toEqual(['$feature_view', '$feature_interaction']);
  });

  test('a component without an element is observed by its parent element', () => {
    const { container, captured } = setUp(
      <p>
        <AnalyticsFeature flag="on">
          <OnlyText />
        </AnalyticsFeature>
      </p>,
    );
    seen(container.querySelector('p'), 1);
    act(() => container.querySelector('p')?.click());
    expect(captured().map(({ event }) => event)).toEqual(['$feature_view']);
  });

  test('it captures once in StrictMode, and once for each of two nested components', () => {
    const { container, captured } = setUp(
      <StrictMode>
        <AnalyticsFeature flag="on">
          <AnalyticsFeature flag="layout">
            <p>content</p>
          </AnalyticsFeature>
        </AnalyticsFeature>
      </StrictMode>,
    );
    seen(container.querySelector('p'), 1);
    act(() => container.querySelector('p')?.click());
    expect(captured().map(({ event, properties }) => [event, properties['feature_flag']])).toEqual([
      ['$feature_view', 'layout'],
      ['$feature_view', 'on'],
      ['$feature_interaction', 'layout'],
      ['$feature_interaction', 'on'],
    ]);
  });

  test('it shows its content without IntersectionObserver', () => {
    vi.stubGlobal('IntersectionObserver', undefined);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { text, container, captured } = setUp(<AnalyticsFeature flag="on">{<p>content</p>}</AnalyticsFeature>);
    container.querySelector('p')?.click();
    expect([text(), captured().length, warn.mock.calls.length]).toEqual(['content', 1, 1]);
    warn.mockRestore();
  });
});
