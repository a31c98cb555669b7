import { readFileSync } from 'node:fs';
import * as browser from '@tidemark/browser';
import posthog from 'posthog-js';
import { expect, test } from 'vitest';

const guide = readFileSync(new URL('../../docs/guide/from-posthog.md', import.meta.url), 'utf8');
const section = /## From posthog-js to Tidemark's library\n(.*?)\n## /s.exec(guide)?.[1] ?? '';
const [intro = '', methods = ''] = section.split(/\n\n(?=\|)/);

/** Names in backquotes, such as `on` or `on()`. */
const names = (text: string): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
const calls = (text: string): string[] => [...text.matchAll(/`(\w+)\(/g)].map(([, name = '']) => name);

/** Names in the text that the package exports, instead of methods that both libraries have. */
const EXPORTS = ['withPosthogNames'];
/** Names that are not methods of the client: features and imports. */
const ELSEWHERE = ['init', 'getClient', 'surveys', 'earlyAccess', 'list', 'enroll', 'usePostHog'];

test('both libraries have the methods of the guide for users of posthog-js', () => {
  const client = browser.init('tmk_key', { api_host: 'http://127.0.0.1:1' });
  for (const name of EXPORTS) expect([name, name in browser]).toEqual([name, true]);
  const same = names(intro).filter((name) => !EXPORTS.includes(name));
  expect(same.length).toBeGreaterThan(20);
  for (const name of same) expect([name, name in posthog, name in client]).toEqual([name, true, true]);
  const rows = methods.split('\n').slice(2);
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows) {
    const [, theirs = '', ours = ''] = row.split('|');
    for (const name of calls(theirs).filter((one) => !ELSEWHERE.includes(one)))
      expect([name, name in posthog]).toEqual([name, true]);
    for (const name of calls(ours).filter((one) => !ELSEWHERE.includes(one)))
      expect([name, name in client]).toEqual([name, true]);
  }
});
