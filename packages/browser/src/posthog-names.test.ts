// @vitest-environment happy-dom
import type { Client } from '@tidemark/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { getClient, init, type PosthogNames, withPosthogNames } from './index.js';

beforeEach(() => vi.stubGlobal('fetch', () => new Promise(() => {})));
afterEach(() => vi.unstubAllGlobals());

let clients = 0;
const start = () =>
  withPosthogNames(
    init('tmk_test', {
      opt_out_useragent_filter: true,
      disable_flags: true,
      disable_remote_config: true,
      name: `names-${++clients}`,
    }),
  );

test('the client has the method names of posthog-js beside its own', () => {
  const posthog = start();
  expect(posthog).toBe(getClient(posthog.name));
  expect(posthog.get_distinct_id()).toBe(posthog.getDistinctId());
  expect(posthog.get_session_id()).toBe(posthog.getSessionId());
  posthog.register_once({ plan: 'pro' });
  posthog.register_once({ plan: 'free' });
  posthog.register_for_session({ theme: 'dark' });
  expect(posthog.capture('a')?.properties).toMatchObject({ plan: 'pro', theme: 'dark' });
});

test('consent is the same under both names', () => {
  const posthog = start();
  const answers = () => [
    posthog.has_opted_in_capturing(),
    posthog.has_opted_out_capturing(),
    posthog.is_capturing(),
    posthog.get_explicit_consent_status(),
  ];
  expect(answers()).toEqual([false, false, true, 'pending']);
  posthog.opt_out_capturing();
  expect(posthog.isOptedOut()).toBe(true);
  expect(answers()).toEqual([false, true, false, 'denied']);
  posthog.opt_in_capturing();
  expect(posthog.isOptedOut()).toBe(false);
  expect(answers()).toEqual([true, false, true, 'granted']);
});

const TARGETS: Record<keyof PosthogNames, keyof Client> = {
  get_distinct_id: 'getDistinctId',
  get_session_id: 'getSessionId',
  register_once: 'registerOnce',
  register_for_session: 'registerForSession',
  opt_in_capturing: 'optIn',
  opt_out_capturing: 'optOut',
  has_opted_in_capturing: 'getConsentStatus',
  has_opted_out_capturing: 'isOptedOut',
  is_capturing: 'isOptedOut',
  get_explicit_consent_status: 'getConsentStatus',
  set_config: 'setConfig',
  sessionRecordingStarted: 'isSessionReplayActive',
};

test.each(Object.entries(TARGETS))('%s calls %s with the same arguments, also if a feature replaced it', (alias, target) => {
  const posthog = start();
  const given = /register|config/.test(alias) ? [{ debug: false }] : [];
  const calls: unknown[][] = [];
  Reflect.set(posthog, target, (...args: unknown[]) => {
    calls.push(args);
  });
  Reflect.apply(Reflect.get(posthog, alias), posthog, given);
  expect(calls).toEqual([given]);
});
