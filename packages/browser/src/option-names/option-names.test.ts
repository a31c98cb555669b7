// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest';
import { init } from '../init.js';
import { anySpelling } from './index.js';

afterEach(() => vi.restoreAllMocks());
const quiet = { disable_flags: true, disable_remote_config: true, debug: true };

test('init accepts options in any spelling and under names of posthog-js', () => {
  const hook = () => null;
  const options = anySpelling({
    apiHost: 'http://t.example',
    beforeSend: hook,
    flush_at: 5,
    opt_out_capturing_by_default: true,
    cookie_expiration: 30,
    capturePageview: false,
  });
  expect(options).toMatchObject({
    api_host: 'http://t.example',
    before_send: hook,
    flushAt: 5,
    opt_out_by_default: true,
    cookie_expiration_days: 30,
    capture_pageview: false,
  });
  expect(anySpelling({ host: 'http://other', api_host: 'http://t.example' }).api_host).toBe('http://t.example');
  const client = init('tmk_spelled', { ...options, ...quiet, name: 'spelled' });
  expect(client.isOptedOut()).toBe(true);
});

test('init warns of an unknown option that looks like a known one', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.spyOn(console, 'debug').mockImplementation(() => {});
  const wrong = { host: 'http://t.example', beforeSend: () => null, flushat: 3, ui_host: 'http://other', own: 1 };
  init('tmk_wrong', { ...wrong, ...quiet, name: 'wrong' });
  const warnings = () => warn.mock.calls.map((parts) => parts.join(' ')).filter((line) => line.includes('has no effect'));
  await expect
    .poll(warnings)
    .toEqual([
      '[tidemark] The option host has no effect: did you mean api_host?',
      '[tidemark] The option beforeSend has no effect: did you mean before_send?',
      '[tidemark] The option flushat has no effect: did you mean flushAt?',
    ]);
  init('tmk_right', { ...anySpelling(wrong), ...quiet, name: 'right' });
  init('tmk_last', { ...quiet, prsistence: 'memory', name: 'last' } as object);
  await expect.poll(() => warnings().length).toBeGreaterThan(3);
  expect(warnings().slice(3)).not.toContainEqual(expect.stringContaining('beforeSend'));
});
