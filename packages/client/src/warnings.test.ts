import { describe, expect, it } from 'vitest';
import { type Client, createClient, flags } from './index.js';
import { createFakePlatform, startClient } from './testing/index.js';

/** What is logged when a client without optional features is used so. */
function logged(use: (client: Client) => void, apiKey = 'tmk_test'): string[] {
  const platform = createFakePlatform();
  use(createClient(apiKey, { disable_remote_config: true }, platform, [flags()]));
  return platform.logged.map(({ text }) => text.replace('[tidemark] ', ''));
}

describe('a warning has the method and the remedy', () => {
  it.each<[string, (client: Client) => void, string]>([
    [
      'captureException',
      (c) => void c.captureException(new Error('x')),
      'captureException needs the feature exceptions() in init.',
    ],
    ['addExceptionStep', (c) => c.addExceptionStep('x'), 'addExceptionStep needs the feature exceptions() in init.'],
    ['startSessionRecording', (c) => c.startSessionRecording(), 'startSessionRecording needs the feature replay() in init.'],
    ['capture without a name', (c) => void c.capture(' '), 'capture needs the name of an event.'],
    ['capture of $exception', (c) => void c.capture('$exception'), 'capture("$exception"): use captureException.'],
    [
      'a bad time',
      (c) => void c.capture('x', {}, { timestamp: 'noon' }),
      'capture replaced a bad timestamp or uuid: noon undefined',
    ],
    ['another person', (c) => ['a-1', 'b-2'].map((id) => c.identify(id)), 'identify: call reset before another person.'],
    ['a number as an id', (c) => c.identify(5 as never), 'identify needs an id as text, not 5'],
    ['an empty group', (c) => c.group('', ''), 'group needs a group type and key.'],
    ['properties that are none', (c) => void c.capture('x', 'y' as never), 'capture("x"): properties must be an object.'],
    ['the same alias', (c) => c.alias(c.getDistinctId()), 'alias needs an id other than the current one.'],
  ])('%s', (_, use, text) => {
    expect(logged(use)).toEqual([text]);
  });

  it.each([
    ['', 'init needs the project key (tmk_…).'],
    ['tms_secret', 'init needs the project key (tmk_…), not a secret key.'],
  ])('the key %j', (key, text) => {
    expect(logged(() => {}, key)).toEqual([text]);
  });

  it('an error inside of a method', () => {
    const { client, platform } = startClient();
    client.setPersonProperties({
      get broken() {
        throw new Error('no');
      },
    });
    expect(platform.logged).toEqual([{ level: 'error', text: '[tidemark] setPersonProperties failed: Error: no' }]);
  });
});
