import { act } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AnalyticsProvider, ErrorBoundary } from '../index.js';
import { flaggedClient } from './flagged-client.js';
import { initMakes } from './made-clients.js';
import { mount } from './mount.js';

function Failing({ fault }: { fault: unknown }): never {
  throw fault;
}

let fails = true;

function Sometimes() {
  if (fails) throw 'a text';
  return 'fine';
}

describe('ErrorBoundary', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.spyOn(console, 'warn').mockImplementation(() => {});
  });
  afterEach(() => vi.restoreAllMocks());

  const exceptions = ({ events }: ReturnType<typeof flaggedClient>) => events.filter(({ event }) => event === '$exception');

  test('it shows the fallback, and captures the error with the component stack as its last cause', () => {
    const flagged = flaggedClient({});
    const fault = new Error('broken', { cause: new Error('deeper') });
    const { text } = mount(
      <AnalyticsProvider client={flagged.client}>
        <ErrorBoundary fallback="sorry" properties={{ part: 'checkout' }}>
          <Failing fault={fault} />
        </ErrorBoundary>
      </AnalyticsProvider>,
    );
    expect(text()).toBe('sorry');
    expect(exceptions(flagged)).toMatchObject([
      {
        properties: {
          part: 'checkout',
          $exception_list: [
            { type: 'Error', value: 'broken' },
            { type: 'Error', value: 'deeper' },
            { type: 'ComponentStack', value: 'broken' },
          ],
        },
      },
    ]);
    expect(fault).toMatchObject({
      cause: { message: 'deeper', cause: { name: 'ComponentStack', stack: expect.stringContaining('Failing') } },
    });
  });

  test('it passes the error and a retry function to a function, and captures thrown values that are not errors', () => {
    const flagged = flaggedClient({});
    fails = true;
    const { text, container } = mount(
      <AnalyticsProvider client={flagged.client}>
        <ErrorBoundary
          fallback={(fault, retry) => (
            <button type="button" onClick={retry}>
              {String(fault)}
            </button>
          )}
          properties={(fault, { componentStack }) => ({ fault, stackType: typeof componentStack })}
        >
          <Sometimes />
        </ErrorBoundary>
      </AnalyticsProvider>,
    );
    expect(text()).toBe('a text');
    expect(exceptions(flagged)).toMatchObject([
      { properties: { fault: 'a text', stackType: 'string', $exception_list: [{ value: 'a text' }] } },
    ]);
    fails = false;
    act(() => container.querySelector('button')?.click());
    expect(text()).toBe('fine');
  });

  test('it captures without properties if the function for them throws', () => {
    const flagged = flaggedClient({});
    const { text } = mount(
      <AnalyticsProvider client={flagged.client}>
        <ErrorBoundary
          fallback="sorry"
          properties={() => {
            throw new Error('of the application');
          }}
        >
          <Failing fault={new Error('broken')} />
        </ErrorBoundary>
      </AnalyticsProvider>,
    );
    expect(text()).toBe('sorry');
    expect(exceptions(flagged)).toHaveLength(1);
    expect(console.warn).toHaveBeenCalledWith(expect.stringContaining('of the application'));
  });

  test('it captures an error of the first render, before there is a client', () => {
    const flagged = flaggedClient({});
    initMakes(() => flagged.client);
    const { text } = mount(
      <AnalyticsProvider apiKey="tmk_1">
        <ErrorBoundary>
          <Failing fault={new Error('early')} />
        </ErrorBoundary>
      </AnalyticsProvider>,
    );
    expect(text()).toBe('');
    expect(exceptions(flagged)).toMatchObject([
      { properties: { $exception_list: [{ value: 'early' }, { type: 'ComponentStack' }] } },
    ]);
  });

  test('it shows the fallback without a provider', () => {
    const { text } = mount(
      <ErrorBoundary fallback="sorry">
        <Failing fault={Object.freeze(new Error('frozen'))} />
      </ErrorBoundary>,
    );
    expect(text()).toBe('sorry');
  });
});
