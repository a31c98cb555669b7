import { assert, double, property, string, uuid } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideReplay, isSampled, noteTrigger, type ReplayFacts, readReplayControls } from './replay-controls.js';

const controlsOf = (remote: object) => {
  const controls = readReplayControls(remote, () => {});
  if (!controls) throw new Error('off');
  return controls;
};
const decide = (remote: object, facts: Partial<ReplayFacts> = {}) =>
  decideReplay(controlsOf(remote), { sessionId: 's', flag: () => undefined, triggered: {}, ...facts });
const flag = (value: boolean | string | undefined) => ({ flag: (key: string) => (key === 'f' ? value : undefined) });
const url = (source: string) => [{ url: source, matching: 'regex' }];

test('RPL-4 nothing is recorded if the remote config is off, everything if it is on without controls', () => {
  for (const off of [false, null, undefined, 'x']) expect(readReplayControls(off, () => {})).toBeUndefined();
  expect(decide({})).toBe('record');
});

describe('RPL-5 linked flag', () => {
  test.each([
    ['f', true, 'record'],
    ['f', false, 'wait'],
    ['f', undefined, 'wait'],
    ['f', 'test', 'record'],
    [{ flag: 'f', variant: 'test' }, 'test', 'record'],
    [{ flag: 'f', variant: 'test' }, 'control', 'wait'],
    [{ flag: 'f', variant: 'test' }, true, 'wait'],
    [{ flag: 'f', variant: null }, 'control', 'record'],
  ])('%j with the value %s: %s', (linkedFlag, value, decision) => {
    expect(decide({ linkedFlag }, flag(value))).toBe(decision);
  });
});

describe('RPL-6 sampling', () => {
  test('the rate is a text; 1 records all sessions, 0 none', () => {
    assert(
      property(uuid(), (sessionId) => {
        expect(decide({ sampleRate: '1.00' }, { sessionId })).toBe('record');
        expect(decide({ sampleRate: '0.0' }, { sessionId })).toBe('wait');
      }),
    );
  });

  test('the decision is stable for a session, grows with the rate, and matches the rate', () => {
    const rate = double({ min: 0, max: 1, noNaN: true });
    assert(
      property(string(), rate, rate, (id, a, b) => {
        expect(isSampled(id, a)).toBe(isSampled(id, a));
        if (isSampled(id, Math.min(a, b))) expect(isSampled(id, Math.max(a, b))).toBe(true);
      }),
    );
    const taken = Array.from({ length: 10_000 }, (_, i) => isSampled(`session-${i}-${i * 7919}`, 0.3)).filter(Boolean).length;
    expect(taken / 10_000).toBeGreaterThan(0.25);
    expect(taken / 10_000).toBeLessThan(0.35);
  });
});

describe('triggers', () => {
  test('RPL-7 a trigger event starts the recording for the rest of the session, other events do not', () => {
    const controls = controlsOf({ eventTriggers: ['$pageview'] });
    const triggered = {};
    expect(noteTrigger(controls, triggered, { event: 'other' })).toBe(false);
    expect(decide({ eventTriggers: ['$pageview'] }, { triggered })).toBe('wait');
    expect(noteTrigger(controls, triggered, { event: '$pageview' })).toBe(true);
    expect(noteTrigger(controls, triggered, { event: '$pageview' })).toBe(false);
    expect(decide({ eventTriggers: ['$pageview'] }, { triggered })).toBe('record');
  });

  test('RPL-9 an address is a trigger', () => {
    const controls = controlsOf({ urlTriggers: url('/checkout') });
    const triggered = {};
    expect(noteTrigger(controls, triggered, { url: 'https://a/cart' })).toBe(false);
    expect(noteTrigger(controls, triggered, { url: 'https://a/checkout' })).toBe(true);
    expect(decide({ urlTriggers: url('/checkout') }, { triggered, url: 'https://a/cart' })).toBe('record');
  });

  test('RPL-10 blocked addresses pause the recording, whatever the conditions say', () => {
    const remote = { urlBlocklist: url('/account'), sampleRate: '1', triggerMatchType: 'any' };
    expect(decide(remote, { url: 'https://a/account/1' })).toBe('pause');
    expect(decide(remote, { url: 'https://a/' })).toBe('record');
  });
});

describe('RPL-12 all conditions', () => {
  const remote = { eventTriggers: ['e'], linkedFlag: 'f' };
  test.each([
    [{ ...remote, sampleRate: '0' }, true, true, 'wait'],
    [{ ...remote, sampleRate: '1' }, true, true, 'record'],
    [{ ...remote, sampleRate: '1' }, true, false, 'wait'],
    [{ ...remote, sampleRate: '1' }, false, true, 'wait'],
  ])('%j, event %s, flag %s: %s', (controls, event, on, decision) => {
    expect(decide(controls, { ...flag(on), triggered: { event } })).toBe(decision);
  });
});

describe('RPL-13 any condition', () => {
  const remote = { eventTriggers: ['e'], triggerMatchType: 'any' };
  test.each([
    ['0', true, 'record'],
    ['1', false, 'record'],
    ['0', false, 'wait'],
  ])('rate %s, event %s: %s', (sampleRate, event, decision) => {
    expect(decide({ ...remote, sampleRate }, { triggered: { event } })).toBe(decision);
  });
});

describe('RPL-15 invalid controls count as not set, with a warning', () => {
  test.each([
    { sampleRate: '1.5' },
    { sampleRate: -1 },
    { sampleRate: 'half' },
    { minimumDurationMilliseconds: -5 },
    { urlTriggers: url('(') },
  ])('%j', (remote) => {
    const warned: string[] = [];
    const controls = readReplayControls(remote, (sentence) => warned.push(sentence));
    expect(warned).toHaveLength(1);
    expect(controls).toMatchObject({ sampleRate: undefined, minimumMs: 0, urlTriggers: [] });
    expect(decide(remote)).toBe('record');
  });

  test('unset controls have no effect, and neither has the minimum duration', () => {
    const remote = { sampleRate: null, linkedFlag: null, eventTriggers: [], urlTriggers: [], minimumDurationMilliseconds: 5000 };
    expect(decide(remote)).toBe('record');
    expect(decide({ ...remote, triggerMatchType: 'any' })).toBe('record');
    expect(controlsOf(remote).minimumMs).toBe(5000);
  });
});
